/* SPDX-License-Identifier: MIT
 *
 * search.js - the search of the site: names of the API first, then headings, then text.
 *
 * The index is a script, so that it loads from file:// too; at the first use of the box.
 */
(() => {
	const root = document.currentScript.dataset.root;
	const box = document.getElementById("search"), list = document.getElementById("results");
	let selected = 0, loading = null;

	function load() {
		loading ??= new Promise((done, failed) => {
			const script = document.createElement("script");
			script.src = `${root}search-index.js`;
			script.onload = () => done(window.siteIndex);
			script.onerror = failed;
			document.head.append(script);
		});
		return loading;
	}

	/* How well a title matches a word: 0 is best, NaN not at all. */
	function rank(title, word) {
		if (title === word)
			return 0;
		if (title.startsWith(word) || title.startsWith(`ward_${word}`))
			return 1;
		if (title.split(/[^a-z0-9]+/).some((part) => part.startsWith(word)))
			return 2;
		return title.includes(word) ? 3 : NaN;
	}

	function rankTitle(title, words) {
		return words.reduce((sum, word) => sum + rank(title.toLowerCase(), word), 0);
	}

	/* Less is better: the words often, side by side, and in a short text. */
	function rankText(text, words) {
		const counts = words.map((word) => text.toLowerCase().split(word).length - 1);
		const together = text.toLowerCase().split(words.join(" ")).length - 1;
		const often = Math.min(...counts) + 3 * together;
		return counts.includes(0) ? NaN : Math.sqrt(text.length + 200) / often;
	}

	function best(found, most) {
		return found.filter((hit) => !isNaN(hit.rank))
			.sort((a, b) => a.rank - b.rank || a.title.length - b.title.length).slice(0, most);
	}

	function find(index, words) {
		const titles = (rows, most) => best(rows.map(([title, where, url]) =>
			({title, where, url, rank: rankTitle(title, words)})), most);
		const names = titles(index.names, 8);
		const named = new Set(index.names.map((name) => name[2]));
		const headings = titles(index.places.filter((place) => !named.has(place[2])), 10);
		const seen = new Set([...names, ...headings].map((hit) => hit.url));
		const texts = best(index.places.filter((place) => !seen.has(place[2]))
			.map(([title, where, url, text]) =>
				({title, where, url, text, rank: rankText(`${title} ${text}`, words)})), 15);
		return [...names, ...headings, ...texts];
	}

	/* The text around the first word that it has. */
	function excerpt(text, words) {
		const lower = text.toLowerCase();
		const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word))
			.filter((place) => place >= 0)) - 50);
		const begin = at > 0 ? text.indexOf(" ", at) + 1 : 0;
		const limit = begin + 140, space = text.lastIndexOf(" ", limit);
		const end = limit < text.length && space > begin ? space : limit;
		return (begin > 0 ? "… " : "") + text.slice(begin, end) + (end < text.length ? " …" : "");
	}

	/* Appends an element with text; the words that were searched for are marked. */
	function add(parent, tag, kind, text, words) {
		const element = document.createElement(tag);
		const pattern = words.map((word) => word.replace(/[^\w]/g, "\\$&")).join("|") || "$^";
		element.className = kind;
		text.split(new RegExp(`(${pattern})`, "i")).forEach((part, place) => {
			const piece = document.createElement(place % 2 ? "mark" : "span");
			piece.textContent = part;
			element.append(piece);
		});
		parent.append(element);
	}

	function entry(hit, words, place) {
		const item = document.createElement("li"), link = document.createElement("a");
		item.id = `result-${place}`;
		item.setAttribute("role", "option");
		link.href = root + hit.url;
		add(link, /^ward_\w+$/i.test(hit.title) ? "code" : "b", "", hit.title, words);
		if (hit.where !== hit.title)
			add(link, "span", "where", hit.where, []);
		if (hit.text)
			add(link, "span", "excerpt", excerpt(hit.text, words), words);
		item.append(link);
		return item;
	}

	function select(place) {
		const items = list.querySelectorAll("[role=option]");
		selected = Math.max(0, Math.min(place, items.length - 1));
		items.forEach((item, each) => item.setAttribute("aria-selected", each === selected));
		items[selected]?.scrollIntoView({block: "nearest"});
		box.setAttribute("aria-activedescendant", items.length ? `result-${selected}` : "");
	}

	function show(open) {
		list.hidden = !open;
		box.setAttribute("aria-expanded", Boolean(open));
	}

	async function search() {
		const words = box.value.toLowerCase().replace(/\(\)/g, "").split(/\s+/).filter(Boolean);
		if (!words.length)
			return show(false);
		const hits = find(await load(), words);
		list.replaceChildren(...hits.map((hit, place) => entry(hit, words, place)));
		if (!hits.length)
			list.textContent = "Nothing found";
		show(true);
		select(0);
	}

	box.addEventListener("focus", () => { load(); search(); });
	box.addEventListener("input", search);
	box.addEventListener("keydown", (event) => {
		const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
		if (step) {
			select(selected + step);
			event.preventDefault();
		} else if (event.key === "Enter") {
			list.querySelector("[aria-selected=true] a")?.click();
		} else if (event.key === "Escape") {
			show(false);
			box.blur();
		}
	});
	document.addEventListener("click", (event) => {
		show(event.target === box && box.value);
	});
	document.addEventListener("keydown", (event) => {
		if (event.key === "/" && !event.ctrlKey && !event.metaKey && event.target !== box) {
			box.focus();
			event.preventDefault();
		}
	});
})();
