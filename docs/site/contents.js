/* SPDX-License-Identifier: MIT
 *
 * contents.js - in a long list of contents, the page that is open is in sight.
 */
(() => {
	const contents = document.getElementById("contents");
	const here = contents.querySelector("[aria-current]");
	if (here && here.offsetTop > contents.clientHeight - 60)
		contents.scrollTop = here.offsetTop - contents.clientHeight / 2;
})();
