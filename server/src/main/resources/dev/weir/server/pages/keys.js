// Everything by keyboard. Keys do nothing while someone writes, or with Ctrl, Alt or Meta.
const GO_WITHIN = 1500;
const PAGES = { n: 'now', r: 'rules', c: 'caller', l: 'load', b: 'bans', f: 'fleet', h: 'changes', t: 'try' };

/** The contents of the help. */
export const HELP = [
  ['/', 'find a rule or a caller'],
  ['g n', 'Now'], ['g r', 'Rules'], ['g c', 'Caller'], ['g l', 'Load'], ['g b', 'Bans'], ['g f', 'Fleet'], ['g h', 'Changes'], ['g t', 'Try it'],
  ['j k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['t', 'time range of charts: 15 min, 6 h, 14 d'],
  ['← →', 'move the cursor of a chart (Shift: by ten)'],
  ['Space', 'pause and go on'],
  ['d', 'light, dark, or as the system says'],
  ['Esc', 'close, or leave a field'],
  ['?', 'this help'],
];

const isWriting = target => target.closest?.('input, textarea, select, [contenteditable]');
const isPressed = target => target.closest?.('button, a, summary, [role=option]');

/** The rows of the page that j and k walk through: each has one link or button that opens it. */
function walk(direction) {
  const rows = [...document.querySelectorAll('main [data-open]')].filter(each => each.offsetParent !== null);
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement);
  const next = at < 0 ? (direction > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + direction));
  rows[next].focus();
  rows[next].scrollIntoView({ block: 'nearest' });
}

/** Listens for the keys; `actions` has find, go(page), range, pause, theme and help. */
export function listen(actions) {
  let goSince = -Infinity;
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === 'Escape' && isWriting(event.target) && !event.target.closest('dialog')) {
      event.target.blur();
      return;
    }
    if (isWriting(event.target) || document.querySelector('dialog[open]')) return;
    const going = event.timeStamp - goSince < GO_WITHIN;
    goSince = -Infinity;
    if (going && PAGES[event.key]) {
      event.preventDefault();
      actions.go(PAGES[event.key]);
      return;
    }
    const action = {
      '/': actions.find,
      g: () => { goSince = event.timeStamp; },
      j: () => walk(1),
      k: () => walk(-1),
      t: actions.range,
      d: actions.theme,
      '?': actions.help,
      ' ': isPressed(event.target) ? undefined : actions.pause,
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
