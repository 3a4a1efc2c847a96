// Light or dark: as the system says, unless someone chose on this page.
const KEPT = 'weir-theme';
const ORDER = ['system', 'light', 'dark'];
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = [];

export const chosen = () => localStorage.getItem(KEPT) ?? 'system';

function apply() {
  const theme = chosen();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  listeners.forEach(each => each());
}

/** Goes on to the next of system, light and dark. */
export function next() {
  const theme = ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length];
  if (theme === 'system') localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, theme);
  apply();
}

/** Calls back when colours have changed, so that what is drawn on a canvas is drawn again. */
export const onChange = listener => listeners.push(listener);

dark.addEventListener('change', () => listeners.forEach(each => each()));
apply();
