(() => {
  const all = [...document.querySelectorAll("section")];
  if (!all.length) return;
  const [nav, [previous, next], place, search] =
    [document.querySelector("nav"), document.querySelectorAll("nav button"), document.querySelector("nav output"), document.querySelector("nav input")];
  const texts = all.map((section) => section.textContent.toLowerCase());
  let found = all, at = 0;
  const show = (to) => {
    at = Math.max(0, Math.min(to, found.length - 1));
    all.forEach((section) => { section.hidden = section !== found[at]; });
    place.textContent = found.length ? `${at + 1} / ${found.length}` : "0 / 0";
    previous.disabled = at < 1;
    next.disabled = at + 1 >= found.length;
    if (found.length) history.replaceState(null, "", `#${found[at].id.slice(1)}`);
    scrollTo(0, 0);
  };
  const open = () => {
    const named = found.findIndex((section) => section.id === `c${location.hash.slice(1)}`);
    show(Math.max(0, named));
  };
  search.oninput = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    found = all.filter((_, i) => words.every((word) => texts[i].includes(word)));
    show(0);
  };
  previous.onclick = () => show(at - 1);
  next.onclick = () => show(at + 1);
  onhashchange = open;
  onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.activeElement === search) {
      if (event.key === "Escape" || event.key === "Enter") search.blur();
      return;
    }
    const to = { ArrowLeft: at - 1, k: at - 1, ArrowRight: at + 1, j: at + 1, Home: 0, End: found.length - 1 }[event.key];
    if (event.key === "/") search.focus();
    else if (to !== undefined) show(to);
    else return;
    event.preventDefault();
  };
  nav.hidden = false;
  open();
})();
