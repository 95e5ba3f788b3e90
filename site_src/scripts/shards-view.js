// Creates the error message for a file that could not be read: the reason, a link to the file, and a button to try again.

import { element, link } from "./elements.js";
import { UnreadableFile } from "./json-files.js";

export function unreadable(error, retry) {
  console.info("data:", error);
  const box = element("p", "unreadable");
  box.setAttribute("role", "alert");
  if (error instanceof UnreadableFile) box.append(`${error.why}: `, link(error.address, error.address.split("/").at(-1)), ". ");
  else box.append("The data could not be shown. ");
  const button = element("button", "matrix-clear", "Try again");
  button.type = "button";
  button.addEventListener("click", retry);
  box.append(button);
  return box;
}
