// The choice in the address of the page: ?platform=cuda&os=linux…

import { AXES } from "./selector-model.js";

/** What the address asks for, and what it asks for that does not exist. */
export function readAddress(model, fixedPlatform) {
  const query = new URLSearchParams(location.search);
  const wanted = {};
  const unknown = [];
  if (fixedPlatform) wanted.platform = fixedPlatform;
  const newest = model.axes.build.find(([id]) => id === "stable")?.[2];
  for (const axis of AXES) {
    let value = query.get(axis);
    if (value === null || (axis === "platform" && fixedPlatform)) continue;
    if (axis === "build" && value === newest) value = "stable";
    if (isKnown(model, axis, value)) wanted[axis] = value;
    else unknown.push([axis, value]);
  }
  return { wanted, unknown };
}

/** Put the whole choice into the address; one step back leads to the choice before. */
export function writeAddress(choice, fixedPlatform) {
  const query = new URLSearchParams();
  for (const axis of AXES) {
    if (axis === "variant" && choice.variant === "default") continue;
    if (!(axis === "platform" && fixedPlatform)) query.set(axis, choice[axis]);
  }
  history.pushState(null, "", `?${query}${location.hash}`);
}

function isKnown(model, axis, value) {
  const lists = axis === "variant" ? Object.values(model.variants) : [model.axes[axis]];
  return lists.some((values) => values.some(([id]) => id === value));
}
