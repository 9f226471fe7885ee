import type { ConsolePage } from './console-page.ts';

const uuidOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;

/** A live call as `GET Live/` has it. */
const liveCall = (index: number) => ({
  call_uuid: uuidOf(index),
  parent_call_uuid: null,
  account: 'MACONFORMANCE0000000',
  direction: 'outbound',
  from: '+12025550000',
  to: `+1202556${String(index).padStart(4, '0')}`,
  caller_name: '',
  status: 'ringing',
  initiated_at: '2026-02-01T10:00:00.000Z',
  answered_at: null,
  quality: null,
});

/** A call that has ended as `GET Call/` has it: the members that the list shows. */
const endedCall = (index: number) => ({
  call_uuid: uuidOf(index),
  from_number: '+12025550000',
  to_number: `call number ${index}`,
  call_direction: 'outbound',
  call_state: 'ANSWER',
  initiation_time: '2026-02-01 10:00:00+00:00',
  call_duration: 7,
  hangup_reason: null,
  hangup_cause_name: 'Normal Hangup',
});

export interface LiveBatches {
  /** Milliseconds from the events to the changed rows. */
  readonly durations: readonly number[];
  readonly rowsMade: number;
  /** Rows that show an answered call at the end. */
  readonly answered: number;
}

/** Shows 500 live calls, and changes 100 of them with each of so many batches of events. */
export async function liveBatches(console: ConsolePage, count: number): Promise<LiveBatches> {
  await console.page.route('**/Live/**', (route) =>
    route.fulfill({
      json: {
        meta: { limit: 200, after: '1-1', next: null },
        multiparty_calls: [],
        calls: Array.from({ length: 500 }, (_, index) => liveCall(index)),
      },
    }),
  );
  let batches = 0;
  await console.page.route('**/Event/', (route) => {
    const first = (batches * 100) % 500;
    // The rows change again in each round.
    const type = Math.floor(batches++ / 5) % 2 === 0 ? 'call.answered' : 'call.ringing';
    const events = Array.from({ length: 100 }, (_, index) => ({
      id: `1-${index + 2}`,
      type,
      resource: `call/${uuidOf(first + index)}`,
      created_at: '2026-02-01T10:00:05.000Z',
      data: { CallUUID: uuidOf(first + index) },
    }));
    const body = events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  await console.go('/');
  await console.page.getByText('Calls (500)').waitFor();
  return console.page.evaluate<LiveBatches>(`new Promise((resolve) => {
    let rowsMade = 0;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node.nodeName === 'TR') rowsMade++;
      }
    }).observe(document.body, { childList: true, subtree: true });
    const durations = [];
    new PerformanceObserver((list, observer) => {
      durations.push(...list.getEntriesByName('live batch').map(({ duration }) => duration));
      if (durations.length < ${count}) return;
      observer.disconnect();
      const shown = [...document.querySelectorAll('.badge')].map((each) => each.textContent);
      const answered = shown.filter((each) => each === 'in-progress').length;
      resolve({ durations, rowsMade, answered });
    }).observe({ type: 'measure' });
  })`);
}

/**
 * Turns so many pages of 10,000 calls, where each answer takes half a second and none comes while a page is turned; resolves with the waits in
 * milliseconds. Rejects when a page needs an answer.
 */
export async function turnedPages(console: ConsolePage, count: number): Promise<readonly number[]> {
  const answered: number[] = [];
  let turned: Promise<void> | undefined;
  await console.page.route(/\/Call\/\?/, async (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await turned;
    answered.push(offset);
    await route.fulfill({
      json: {
        meta: { limit: 20, offset, count: 10_000, total_count: 10_000, next: null, previous: null },
        objects: Array.from({ length: 20 }, (_, index) => endedCall(offset + index)),
      },
    });
  });
  await console.go('/calls');
  const waits: number[] = [];
  for (let offset = 20; offset <= 20 * count; offset += 20) {
    while (!answered.includes(offset)) await new Promise((resolve) => setTimeout(resolve, 20));
    const turn = Promise.withResolvers<void>();
    turned = turn.promise;
    waits.push(
      await console.page.evaluate<number>(`new Promise((resolve, reject) => {
        const start = performance.now();
        const next = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Next');
        next.click();
        const look = () => {
          if (document.body.innerText.includes('call number ${offset}')) resolve(performance.now() - start);
          else if (performance.now() - start > 20_000) reject(new Error('The page waits for an answer.'));
          else setTimeout(look, 1);
        };
        look();
      })`),
    );
    turn.resolve();
  }
  return waits;
}
