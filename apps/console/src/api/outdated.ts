import { noteLost } from './connection.svelte.ts';

/** Whether the server has another build of this page: the files that this one has not loaded yet are gone then. */
export async function isOutdated(): Promise<boolean> {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '';
  const page = await fetch('/console/').then(
    (response) => response.text(),
    () => '',
  );
  // A server that builds its console, and a proxy without a server, give a page without files.
  const isAnother = page.includes('/console/assets/') && !page.includes(new URL(entry).pathname);
  if (!isAnother) noteLost();
  return isAnother;
}
