// The address of a view: #/page?name=value. It stays in the browser, so keys of callers never reach a log through it.

/** Reads an address. Parameters keep their order, because the order of a request's attributes may matter. */
export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return { page: path || 'now', params: new URLSearchParams(query) };
}

export const current = () => parse(location.hash);

/** The address of a page; parameters without a value are left out. */
export function to(page, params = {}) {
  const query = new URLSearchParams();
  const entries = params instanceof URLSearchParams ? params.entries() : Object.entries(params);
  for (const [name, value] of entries) {
    if (value !== undefined && value !== null && value !== '') query.append(name, value);
  }
  const text = query.toString();
  return `#/${page}${text ? `?${text}` : ''}`;
}

/** The address of this view with some parameters changed. */
export function changed(params) {
  const { page, params: now } = current();
  Object.entries(params).forEach(([name, value]) => (value === null || value === '' ? now.delete(name) : now.set(name, value)));
  return to(page, now);
}

export function go(address) {
  location.hash = address.replace(/^#/, '');
}

/** Changes the address without a step in the history, for what changes with every letter. */
export function replace(address) {
  history.replaceState(null, '', address);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The address of the caller with these attributes. */
export const caller = (domain, attributes) => to('caller', { ...(domain ? { 'in': domain } : {}), ...attributes });

export const rule = (domain, name) => to('rules', { domain, rule: name });
