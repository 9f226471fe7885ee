import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HttpApi, httpApiPage, httpApiText } from './support/http-api-page.ts';
import { PlatformProcess } from './support/platform-process.ts';

/** Writes docs/reference/http-api.md from the document of a server that it starts. */
const platform = await PlatformProcess.start();
try {
  const document = (await (await fetch(`${platform.httpUrl}/openapi.json`)).json()) as HttpApi;
  writeFileSync(join(import.meta.dirname, '..', httpApiPage), httpApiText(document));
  process.stdout.write(`${httpApiPage} is written.\n`);
} finally {
  await platform.stop();
}
