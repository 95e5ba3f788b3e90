// Writes numbers and counts.

/** Returns a number with commas: "2,190". */
export const number = (value) => value.toLocaleString("en-US");

/** Returns a count with its English noun: "1 test", "2,190 tests". */
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
