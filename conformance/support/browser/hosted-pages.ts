import type { PlatformProcess } from '../platform-process.ts';
import type { BrowserPage } from './browser-page.ts';
import type { PageReport } from './heard-page.ts';

/** The password of every endpoint that logs in from a page. */
export const password = 'secret-of-a-page';

/** Waits for an event of the client in the page, the next one from this index on. */
export function reported(page: BrowserPage, type: string, from = 0): Promise<PageReport> {
  return page.reports.until(type, (report) => report.type === type, { from });
}

/** Creates an endpoint, and logs the client of the page in as it. */
export async function logIn(page: BrowserPage, platform: PlatformProcess, name: string) {
  const endpoint = await platform.createEndpoint(name, password);
  await page.run('login', endpoint.username, password);
  await reported(page, 'onLogin');
  return { page, ...endpoint };
}
