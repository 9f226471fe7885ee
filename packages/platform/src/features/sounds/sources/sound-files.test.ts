import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { PlayItem } from '../index.ts';
import {
  inSoundsWorld,
  type SoundsWorld,
  type SoundsWorldOptions,
  toneWav,
} from '../testing/sounds-world.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function withServer(
  answer: Answer,
  run: (world: SoundsWorld, url: string, requests: IncomingMessage[]) => Promise<void>,
  options: SoundsWorldOptions = {},
): () => Promise<void> {
  return () =>
    inSoundsWorld(options, async (world) => {
      await world.leg('leg');
      const requests: IncomingMessage[] = [];
      const url = await world.server((request, response) => {
        requests.push(request);
        answer(request, response);
      });
      await run(world, url, requests);
    });
}

const file = (url: string, method?: 'GET' | 'POST'): PlayItem => ({
  kind: 'file',
  url,
  ...(method === undefined ? {} : { method }),
});
const short = toneWav(1_000, 0.1);
const playTo = async (world: SoundsWorld, url: string, method?: 'GET' | 'POST') => {
  const { problems } = await world.over(world.play([file(url, method)]));
  assert.deepEqual(problems, []);
};

test(
  'concurrent plays of one file share one fetch and one clip',
  withServer(
    (_, response) => response.end(short),
    async (world, url, requests) => {
      const plays = Array.from({ length: 20 }, () => world.play([file(url)]));
      for (const play of plays) await world.over(play);
      assert.equal(requests.length, 1);
      assert.equal(world.orders.clipsLoaded.length, 1);
      assert.equal(requests[0]!.headers['user-agent'], 'Jackfield');
      assert.equal(requests[0]!.headers['accept-encoding'], 'identity');
    },
  ),
);

test(
  'a file behind redirections is played, and kept for no more than two seconds whatever its headers say',
  withServer(
    ({ url }, response) => {
      const hop = Number(url!.slice(1));
      if (hop < 3) response.writeHead(302, { location: `/${hop + 1}` }).end();
      else response.writeHead(200, { etag: '"1"', 'cache-control': 'max-age=3600' }).end(short);
    },
    async (world, url, requests) => {
      const first = new URL('/0', url).href;
      await playTo(world, first);
      const paths = ['/0', '/1', '/2', '/3'];
      assert.deepEqual(
        requests.map((request) => request.url),
        paths,
      );
      await world.world.advance(3_000);
      await playTo(world, first);
      assert.deepEqual(
        requests.map((request) => request.url),
        [...paths, ...paths],
      );
      assert.ok(requests.every(({ headers }) => headers['if-none-match'] === undefined));
    },
  ),
);

test(
  'a fourth redirection, and one to another scheme than HTTP, is not followed',
  withServer(
    ({ url }, response) =>
      response.writeHead(302, { location: url === '/file' ? 'file:///etc/passwd' : '/again' }).end(),
    async (world, url, requests) => {
      for (const [path, count] of [
        ['/again', 4],
        ['/file', 1],
      ] as const) {
        requests.length = 0;
        const { problems } = await world.over(world.play([file(new URL(path, url).href)]));
        assert.deepEqual(
          problems.map(({ code }) => code),
          ['unexpected-status'],
        );
        assert.equal(requests.length, count);
      }
    },
  ),
);

test(
  'a stopped play does not abort the fetch that another play shares',
  withServer(
    (_, response) => setTimeout(() => response.end(short), 50),
    async (world, url, requests) => {
      const [first, second] = [world.play([file(url)]), world.play([file(url)])];
      await world.until('the fetch has begun', () => requests.length === 1);
      world.sounds.stop(first);
      assert.equal((await world.over(first)).because, 'stopped');
      assert.deepEqual((await world.over(second)).problems, []);
      assert.equal(requests.length, 1);
    },
  ),
);

test(
  'max-age: the server gets no request before it has passed, then one with validators, and 304 keeps the clip',
  withServer(
    (request, response) => {
      response.setHeader('ETag', '"one"').setHeader('Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT');
      response.setHeader('Cache-Control', 'public, max-age=60');
      if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else response.end(short);
    },
    async (world, url, requests) => {
      await playTo(world, url);
      await playTo(world, `${url}#rt=1000`);
      assert.equal(requests.length, 1);
      await world.world.advance(60_000);
      await playTo(world, url);
      assert.equal(requests.length, 2);
      assert.equal(requests[1]!.headers['if-modified-since'], 'Thu, 01 Jan 2026 00:00:00 GMT');
      await playTo(world, url);
      assert.equal(requests.length, 2, 'the 304 made it fresh again');
      assert.equal(world.orders.clipsLoaded.length, 1);
      const text = await world.metrics();
      assert.match(text, /jackfield_sound_fetches_total\{outcome="unchanged"\} 1/);
      assert.match(text, /jackfield_sound_cache_hits_total 2/);
    },
  ),
);

test(
  'an answer with no-store is not kept, and neither is the answer of a POST',
  withServer(
    (_, response) => response.setHeader('Cache-Control', 'no-store').end(short),
    async (world, url, requests) => {
      await playTo(world, url);
      await playTo(world, url);
      await playTo(world, url, 'POST');
      await playTo(world, url, 'POST');
      assert.deepEqual(
        requests.map((request) => `${request.method} ${request.headers['if-none-match']}`),
        ['GET undefined', 'GET undefined', 'POST undefined', 'POST undefined'],
      );
    },
  ),
);

test(
  'a changed file is heard by the next play, and a running play keeps its version',
  withServer(
    (request, response) => {
      const version = request.headers['if-none-match'] === undefined ? 1 : 2;
      response.setHeader('ETag', `"${version}"`).setHeader('Cache-Control', 'no-cache');
      response.end(toneWav(500 * version, 2));
    },
    async (world, url) => {
      const first = world.play([file(url)]);
      await world.begun(first);
      const second = world.play([file(url)]);
      await world.begun(second);
      assert.equal(world.orders.clipsLoaded.length, 2);
      assert.deepEqual(world.orders.clipsDropped, []);
      for (const play of [first, second]) await world.over(play);
    },
    { limits: { maxIdleClipBytes: 0 } },
  ),
);

test(
  'idle clips are kept up to their limit and the longest idle clip goes first; a clip of a play stays',
  withServer(
    (request, response) => response.end(toneWav(500, request.url === '/long' ? 5 : 0.5)),
    async (world, url) => {
      const long = world.play([file(`${url}/long`)]);
      await world.begun(long);
      for (const name of ['a', 'b', 'c']) await playTo(world, `${url}/${name}`);
      assert.deepEqual(world.orders.clipsLoaded, ['sound/1', 'sound/2', 'sound/3', 'sound/4']);
      assert.deepEqual(world.orders.clipsDropped, ['sound/2']);
      assert.deepEqual((await world.over(long)).problems, []);
      assert.ok(world.orders.clipsDropped.includes('sound/1'), 'too large to be kept');
    },
    // Two clips of half a second.
    { limits: { maxIdleClipBytes: 16_000 } },
  ),
);

test(
  'decoded files are kept up to their limit, and the least recently used file goes first',
  withServer(
    (_, response) => response.setHeader('Cache-Control', 'max-age=600').end(toneWav(500, 0.5)),
    async (world, url, requests) => {
      for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await playTo(world, `${url}/${name}`);
      assert.deepEqual(
        requests.map((request) => request.url),
        ['/a', '/b', '/c', '/b'],
      );
    },
    // Two files of half a second.
    { limits: { maxIdleClipBytes: 16_000 } },
  ),
);

test(
  'a file lies in memory once: when the media engine has dropped it, it is fetched again without validators',
  withServer(
    (_, response) =>
      response.setHeader('Cache-Control', 'max-age=600').setHeader('ETag', '"one"').end(toneWav(500, 0.5)),
    async (world, url, requests) => {
      await playTo(world, url);
      await playTo(world, url);
      assert.equal(requests.length, 2);
      assert.equal(requests[1]!.headers['if-none-match'], undefined);
    },
    { limits: { maxIdleClipBytes: 0 } },
  ),
);

test('files that arrive at the same time hold at most the bytes of the limit', () => {
  let finish = () => {};
  return withServer(
    (request, response) => {
      const wav = toneWav(500, request.url === '/slow' ? 1 : 0.5);
      if (request.url !== '/slow') return response.end(wav);
      response.write(wav.subarray(0, 15_000));
      finish = () => response.end(wav.subarray(15_000));
    },
    async (world, url) => {
      const slow = world.play([file(`${url}/slow`)]);
      await world.until('most of the file has arrived', () => world.census().fetchingBytes === 15_000);
      const { problems } = await world.over(world.play([file(`${url}/other`)]));
      assert.match(problems[0]!.sentence, /too many sound files are being fetched at this moment/);
      finish();
      assert.deepEqual((await world.over(slow)).problems, []);
      await playTo(world, `${url}/other`);
      assert.equal(world.census().fetchingBytes, 0);
    },
    { limits: { maxFetchingBytes: 17_000 } },
  )();
});

test(
  'a slow host holds at most its share of the fetches',
  withServer(
    () => {},
    async (world, url, requests) => {
      const slow = ['a', 'b', 'c'].map((name) => world.play([file(`${url}/${name}`)]));
      const quick = await world.server((_, response) => response.end(short));
      await playTo(world, quick);
      assert.equal(requests.length, 2);
      const refused = await world.over(world.play([file(`${url}/d`)]));
      assert.equal(refused.problems[0]!.code, 'busy');
      assert.match(refused.problems[0]!.sentence, /too many sound files are being fetched/);
      for (const play of slow) world.sounds.stop(play);
      for (const play of slow) await world.over(play);
    },
    { limits: { line: { atOnce: 3, perGroup: 2, waiting: 1 } } },
  ),
);

test(
  'the fragment of the URL limits the wait for a silent server, and is not sent',
  withServer(
    () => {},
    async (world, url, requests) => {
      const { problems } = await world.over(world.play([file(`${url}/silent.mp3#rt=100`)]));
      assert.equal(problems[0]!.code, 'timeout');
      assert.match(problems[0]!.sentence, /silent\.mp3 could not be played: nothing came for 100 ms/);
      assert.equal(requests[0]!.url, '/silent.mp3');
    },
  ),
);

const source = (url: string, method?: 'GET' | 'POST'): PlayItem =>
  ({ ...file(url, method), kind: 'source' }) as PlayItem;
const xml = (body: string) => `<?xml version="1.0"?>\n<Response>${body}</Response>`;

test('a source may be a document: its prompts are heard, and a 304 keeps it', () => {
  const asked: string[] = [];
  return withServer(
    (request, response) => {
      asked.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`.trim());
      if (request.url !== '/music') return response.end(short);
      response.setHeader('ETag', '"1"');
      response.setHeader('Cache-Control', 'no-cache');
      if (request.headers['if-none-match'] === '"1"') return response.writeHead(304).end();
      const [host] = [`http://${request.headers.host}`];
      return response.end(xml(`<Play>${host}/a</Play><Wait length="1"/><Dial/><Play>${host}/b</Play>`));
    },
    async (world, url) => {
      const account = world.world.main.authId;
      for (const round of [1, 2]) {
        const play = world.play([source(`${url}/music`)], { account, mainAccount: account });
        assert.deepEqual((await world.over(play)).problems, [], `round ${round}`);
      }
      assert.deepEqual(
        asked.filter((each) => each.startsWith('/music')),
        ['/music', '/music "1"'],
      );
      assert.ok(asked.includes('/a') && asked.includes('/b'));
      assert.deepEqual(
        (await world.events()).map(({ type, data }) => [type, data.warnings]),
        Array(2).fill([
          'sound.warning',
          ['line 2: <Dial> is passed over: Play, Speak and Wait are heard here'],
        ]),
      );
    },
  )();
});

test(
  'a source that is neither sound nor document fails with both reasons; a file item accepts no document',
  withServer(
    (request, response) => response.end(request.url === '/broken' ? xml('<Play>no</Play>') : xml('<Wait/>')),
    async (world, url) => {
      const [broken] = (await world.over(world.play([source(`${url}/broken`)]))).problems;
      assert.match(
        broken!.sentence,
        /neither an MP3 nor a WAV file .*, nor a document of sounds: line 2: <Play> must/,
      );
      const [played] = (await world.over(world.play([file(`${url}/document`)]))).problems;
      assert.match(played!.sentence, /an XML document came where an MP3 or WAV file is expected/);
    },
  ),
);

test(
  'a source with POST is requested once for each play',
  withServer(
    (_, response) => response.end(short),
    async (world, url, requests) => {
      for (const _ of [1, 2])
        assert.deepEqual((await world.over(world.play([source(url, 'POST')]))).problems, []);
      assert.deepEqual(
        requests.map(({ method }) => method),
        ['POST', 'POST'],
      );
    },
  ),
);
