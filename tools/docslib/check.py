# SPDX-License-Identifier: MIT
"""Checks that each link of the site has a target."""


def broken_links(site):
    """Returns a line for each link to a page, file or anchor that is not there."""
    wrong = []
    for page in site.pages.values():
        for link in page.links:
            url, _, anchor = link.target.partition("#")
            if url in site.pictures:
                continue
            if url not in site.pages:
                wrong.append(f"{page.source}:{link.line}: there is no {link.written}")
            elif anchor and anchor not in site.pages[url].anchors:
                wrong.append(f"{page.source}:{link.line}: {link.written}: "
                             f"{site.pages[url].source} has no anchor '{anchor}'")
    return sorted(wrong)
