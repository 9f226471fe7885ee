/** A URL as events and sentences show it: query, fragment and credentials may hold secrets. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return (url.split(/[?#]/, 1)[0] ?? '').slice(0, 200);
  const shown = new URL(url);
  shown.search = '';
  shown.hash = '';
  shown.username = '';
  shown.password = '';
  return shown.href;
}
