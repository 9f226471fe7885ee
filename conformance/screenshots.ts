import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Browser } from './support/browser/browser.ts';
import { ConsolePage } from './support/browser/console-page.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { addToRoom, joinedRoom } from './support/multiparty-rooms.ts';
import { PlatformProcess } from './support/platform-process.ts';

/** `npm run screenshots`: takes the pictures of the README from a server with real calls. Needs Chromium and sox. */
const images = join(import.meta.dirname, '../docs/images');
const [echo, talker, tone] = ['+12025550100', '+12025550101', '+12025550109'];

await mkdir(images, { recursive: true });
const platform = await PlatformProcess.start();
const server = await CallbackReceiver.start();
const browser = await Browser.start();
try {
  const console = await ConsolePage.loggedIn(browser, platform);
  await console.page.setViewportSize({ width: 1200, height: 800 });
  await room(console);
  await call(console);
} finally {
  await cleanUp(
    () => browser.stop(),
    () => server.stop(),
    () => platform.stop(),
  );
}

async function room(console: ConsolePage): Promise<void> {
  await addToRoom(platform, 'support', talker);
  await addToRoom(platform, 'support', echo, { role: 'customer' });
  await addToRoom(platform, 'support', tone, { role: 'supervisor', coach_mode: true });
  await joinedRoom(platform, 'support', 3);
  const { body } = await platform.api('GET', 'MultiPartyCall/name_support/');
  await console.go(`/multiparty/${body.mpc_uuid}`);
  await console.button(/customer \d+ does not hear supervisor/).waitFor();
  await console.page.screenshot({ path: join(images, 'console-hearing.png') });
  await platform.api('DELETE', 'MultiPartyCall/name_support/');
}

async function call(console: ConsolePage): Promise<void> {
  const { body } = await platform.api('POST', 'Call/', {
    from: '+12025550000',
    to: echo,
    answer_url: server.serve('/answer', '<Response><Speak>Hello</Speak><Speek/></Response>'),
    hangup_url: server.serve('/ended', ''),
  });
  const { fields } = await server.asked('/ended');
  const uuid = fields.get('CallUUID') ?? body.request_uuid;
  // Messages are written a moment after the end.
  await platform.until('the messages', `Call/${uuid}/Signalling/`, ({ objects }) =>
    objects.some(({ start_line: line }: { start_line: string }) => line.startsWith('BYE')),
  );
  await console.go(`/calls/${uuid}`);
  await console.page.locator('#end').waitFor();
  await console.page.locator('main li.sip', { hasText: 'BYE sip:' }).first().waitFor();
  await console.page.locator('main li.callback').waitFor();
  await console.page.locator('main li.event').first().waitFor();
  await console.page.screenshot({ path: join(images, 'console-call.png') });
}
