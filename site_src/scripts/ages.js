// Turns dates into ages and deadlines into warnings, at the time of reading: a page states dates, because it stays when the
// nightly update stops.

import { say, sayCount } from "./elements.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS_UP_TO = 7 * DAY_MS; // older than this, an age is in days
const OLD_BUILD_MS = 36 * HOUR_MS;

/** Shows the ages, deadlines and warnings of a page. */
export function showAges(now = Date.now()) {
  for (const time of document.querySelectorAll("time[data-age]")) {
    const age = ageWords(time.dateTime, now);
    if (!age) continue;
    time.title = time.textContent;
    time.textContent = time.dateTime.includes("T") ? `${time.textContent}, ${age}` : age;
  }
  for (const row of document.querySelectorAll("tr[data-day]")) row.dataset.age = String(Math.max(0, days(row.dataset.day, now)));
  for (const note of document.querySelectorAll("[data-due]")) if (Date.parse(note.dataset.due) < now && !note.querySelector(".overdue")) markOverdue(note);
  const built = Date.parse(document.querySelector("meta[name=build-time]")?.content);
  for (const warning of document.querySelectorAll("[data-built]")) warning.hidden = !(now - built > OLD_BUILD_MS);
}

/** Returns an age in words: of a time "99 h" or "9 days", of a day "today" or "9 days"; empty for a future one. */
function ageWords(moment, now) {
  const isTime = moment.includes("T");
  const age = isTime ? now - Date.parse(moment) : days(moment, now) * DAY_MS;
  if (!(age >= 0)) return "";
  if (isTime && age < HOURS_UP_TO) return say("{count} h", { count: Math.floor(age / HOUR_MS) });
  const count = Math.floor(age / DAY_MS);
  return count === 0 ? say("today") : sayCount("{count} day", "{count} days", count);
}

/** Returns the number of days from a day to today, in UTC. */
function days(day, now) {
  return Math.floor(now / DAY_MS) - Math.floor(Date.parse(day) / DAY_MS);
}

function markOverdue(note) {
  const mark = document.createElement("strong");
  mark.className = "overdue";
  mark.textContent = say("overdue since {day}", { day: note.dataset.due.slice(0, 10) });
  note.replaceChildren(mark);
}
