// The choice in the address of the page: ?platform=cuda&os=linux…

/** What the address asks for, and what it asks for that does not exist. */
export function readAddress(model, fixedPlatform) {
  const query = new URLSearchParams(location.search);
  const wanted = {};
  const unknown = [];
  if (fixedPlatform) wanted.platform = fixedPlatform;
  const newest = model.values("build").find(([id]) => id === "stable")?.[2];
  for (const axis of model.axes) {
    let value = query.get(axis);
    if (value === null || (axis === "platform" && fixedPlatform)) continue;
    if (axis === "build" && value === newest) value = "stable";
    if (model.knows(axis, value)) wanted[axis] = value;
    else unknown.push([axis, value]);
  }
  return { wanted, unknown };
}

/** Put the whole choice into the address; one step back leads to the choice before. */
export function writeAddress(model, choice, fixedPlatform) {
  const query = new URLSearchParams();
  for (const axis of model.axes) {
    if (axis === "variant" && choice.variant === "default") continue;
    if (!(axis === "platform" && fixedPlatform)) query.set(axis, choice[axis]);
  }
  history.pushState(null, "", `?${query}${location.hash}`);
}
