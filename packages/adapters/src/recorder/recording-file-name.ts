const shape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:mp3|wav)$/i;

/** The name itself; throws a RangeError for anything but `<uuid>.<mp3 or wav>`, so that no name leads out of the directory. */
export function recordingFileName(name: string): string {
  if (!shape.test(name))
    throw new RangeError(`${JSON.stringify(name.slice(0, 60))} is not the name of a recording`);
  return name.toLowerCase();
}
