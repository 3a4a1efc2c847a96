// Builds elements for every page. Text stays text; nothing here writes markup.
export const by = id => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}
