// Reads JSON files of the site.

/** A file that is missing, truncated or not JSON: its address, and why it could not be read. */
export class UnreadableFile extends Error {
  constructor(address, why) {
    super(`${why}: ${address}`);
    this.address = address;
    this.why = why;
  }
}

/** Reads a file; throws `UnreadableFile` if that fails. */
export async function readJson(address) {
  let response;
  try {
    response = await fetch(address);
  } catch {
    throw new UnreadableFile(address, "The file could not be reached");
  }
  if (!response.ok)
    throw new UnreadableFile(address, response.status === 404 ? "The file is missing" : `The server answered ${response.status}`);
  try {
    return await response.json();
  } catch {
    throw new UnreadableFile(address, "The file is cut off or not JSON");
  }
}
