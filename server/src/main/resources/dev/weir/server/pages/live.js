// What the server said last, asked again every second: while the page is seen, and nobody has paused it.
import { ask } from './sign-in.js';

const TICK = 250;
let sources = new Map();
let paused = false;
let changed = () => {};

/** The answer of a path: `data` is the last good answer, received at `at`; `error` says why there is none since. */
class Source {
  constructor(path, { every = 1000, merge = null, cursor = null } = {}) {
    Object.assign(this, { path, every, merge, cursor, data: null, at: 0, error: '', status: 0, asked: -Infinity, busy: false });
  }

  address() {
    const since = this.cursor && this.data ? this.cursor(this.data) : null;
    return since === null ? this.path : `${this.path}${this.path.includes('?') ? '&' : '?'}since=${since}`;
  }

  async ask() {
    this.busy = true;
    this.asked = performance.now();
    try {
      const answer = await ask(this.address(), { signal: AbortSignal.timeout(10_000) });
      const told = await answer.json().catch(() => ({ detail: `status ${answer.status}` }));
      this.status = answer.status;
      if (answer.ok) {
        this.data = this.merge && this.data ? this.merge(this.data, told) : told;
        this.at = Date.now();
        this.error = '';
      } else {
        this.error = told.detail ?? `status ${answer.status}`;
      }
    } catch (failure) {
      this.status = 0;
      this.error = failure.name === 'TimeoutError' ? 'the server did not answer in 10 s' : 'the server cannot be reached';
    }
    this.busy = false;
    changed();
  }

  due(now) {
    if (this.busy) return false;
    const refused = this.status >= 400 && this.status < 500; // it will not be better in a second
    return now - this.asked >= (refused ? Math.max(this.every, 10_000) : this.every);
  }
}

function tick() {
  const now = performance.now();
  for (const each of sources.values()) {
    const first = each.asked === -Infinity;
    if (first || (!paused && !document.hidden && each.due(now))) each.ask();
  }
}

/** Sets what is asked from now on: names, with a path or with [path, options]. Answers that stay wanted are kept. */
export function watch(wanted) {
  const next = new Map();
  for (const [name, what] of Object.entries(wanted)) {
    const [path, options] = Array.isArray(what) ? what : [what, {}];
    const old = sources.get(name);
    next.set(name, old && old.path === path ? old : new Source(path, options));
  }
  sources = next;
  tick();
}

/** The source of a name: {data, at, error}. */
export const source = name => sources.get(name) ?? new Source('');
export const data = name => source(name).data;

/** Asks for everything again now: after a change, or on request. */
export function refresh() {
  for (const each of sources.values()) {
    if (!each.busy) each.ask();
  }
}

export const isPaused = () => paused;

export function pause(wanted = !paused) {
  paused = wanted;
  if (!paused) refresh();
  changed();
}

/** The first failure, and the age in seconds of the oldest answer that is shown; null while all is well. */
export function trouble() {
  const failing = [...sources.values()].filter(each => each.error && each.status !== 404 && each.status !== 409 && each.status !== 403);
  if (failing.length === 0) return null;
  const shown = failing.filter(each => each.data);
  return { error: failing[0].error, age: shown.length ? (Date.now() - Math.min(...shown.map(each => each.at))) / 1000 : null };
}

export function start(onChange) {
  changed = onChange;
  setInterval(tick, TICK);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) tick(); });
}
