import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { test } from 'node:test';
import { type ConfigSource, describeConfig, loadConfig } from './config.ts';
import { configVariables } from './config-variables.ts';
import { loadSettings } from './load-settings.ts';
import { readEnvironment } from './read-environment.ts';

const load = (env: ConfigSource['env'], mode: ConfigSource['mode'] = 'dev') => loadConfig({ env, mode });
function configOf(env: ConfigSource['env'], mode: ConfigSource['mode'] = 'dev') {
  const result = load(env, mode);
  assert.ok(result.ok, JSON.stringify(result));
  return result.config;
}
function problemsOf(env: ConfigSource['env']) {
  const result = load(env);
  assert.ok(!result.ok, `accepted: ${JSON.stringify(env)}`);
  return result.problems;
}

test('nothing set: the sandbox listens on this machine only, production on every address', () => {
  const dev = configOf({});
  assert.equal(dev.sandbox, true);
  assert.equal(dev.activity, true);
  assert.equal(dev.keepSignalling, true);
  assert.deepEqual(dev.http, { host: '127.0.0.1', port: 8080 });
  assert.deepEqual(dev.sip, {
    host: '127.0.0.1',
    port: 5060,
    domains: ['sip.localhost'],
    digest: ['MD5'],
    srtp: 'offer',
  });
  assert.equal(dev.publicAddress, '127.0.0.1');
  assert.deepEqual(dev.rtpPorts, { first: 40_000, last: 40_999 });
  assert.deepEqual([dev.webrtcPort, dev.webrtcSignalling], [41_000, 'secure']);
  assert.ok(isAbsolute(dev.dataDir));
  assert.equal(dev.egressAllow ?? dev.databaseUrl ?? dev.account ?? dev.secretKey, undefined);
  const production = configOf({}, 'production');
  assert.equal(production.sandbox, false);
  assert.equal(production.http.host, '0.0.0.0');
  assert.equal(production.sip.host, '0.0.0.0');
});

test('metrics and the reference of the API are open in the sandbox, in production by the operator alone', () => {
  const dev = configOf({});
  assert.deepEqual([dev.metricsAccess, dev.docs], ['open', true]);
  const production = configOf({}, 'production');
  assert.deepEqual([production.metricsAccess, production.docs], ['off', false]);
  const token = 'a-token-of-the-operator';
  for (const mode of ['dev', 'production'] as const) {
    const opened = configOf({ JACKFIELD_METRICS_TOKEN: token, JACKFIELD_DOCS: 'true' }, mode);
    assert.deepEqual([opened.metricsAccess, opened.docs], [{ token }, true]);
  }
});

test('a listener of the operator is on loopback, where metrics and the reference need no token', () => {
  assert.equal(configOf({}, 'production').operator, undefined);
  const own = configOf({ JACKFIELD_OPERATOR_PORT: '9464' }, 'production');
  assert.deepEqual(own.operator, { host: '127.0.0.1', port: 9464 });
  assert.deepEqual([own.metricsAccess, own.docs], ['open', true]);
  const shared = { JACKFIELD_OPERATOR_PORT: '9464', JACKFIELD_OPERATOR_HOST: '10.0.0.7' };
  const reached = configOf(shared, 'production');
  assert.deepEqual([reached.metricsAccess, reached.docs], ['off', false]);
  for (const [env, sentence] of [
    [{ JACKFIELD_OPERATOR_HOST: '10.0.0.7' }, /^JACKFIELD_OPERATOR_HOST needs JACKFIELD_OPERATOR_PORT/],
    [
      { JACKFIELD_OPERATOR_PORT: '8080' },
      /^JACKFIELD_OPERATOR_PORT must be another port than JACKFIELD_HTTP_PORT/,
    ],
    [
      { JACKFIELD_OPERATOR_PORT: '5060' },
      /^JACKFIELD_OPERATOR_PORT must be another port than JACKFIELD_SIP_PORT/,
    ],
  ] as const) {
    const [problem] = problemsOf(env);
    assert.match(problem!.sentence, sentence);
  }
});

test('ACME: the certificate is in the data directory, and needs a name that an authority can reach', () => {
  const directory = 'https://ca.example.com/dir';
  const named = { JACKFIELD_ACME_DIRECTORY: directory, JACKFIELD_SIP_DOMAINS: 'sip.example.com' };
  const { tls, publicUrl } = configOf({ ...named, JACKFIELD_DATA_DIR: '/data' }, 'production');
  const file = '/data/certificate/certificate.pem';
  assert.deepEqual(tls, {
    port: 5061,
    isHttps: true,
    certFile: file,
    keyFile: file,
    acme: { directory, port: 80 },
  });
  assert.match(publicUrl, /^https:/);
  for (const [env, sentence] of [
    [
      {
        JACKFIELD_ACME_DIRECTORY: directory,
        JACKFIELD_PUBLIC_URL: 'https://calls.example.com',
        JACKFIELD_HTTP_TLS: 'false',
      },
      /^JACKFIELD_ACME_DIRECTORY needs a name .*: set JACKFIELD_SIP_DOMAINS to a host name$/,
    ],
    [{ JACKFIELD_ACME_DIRECTORY: directory }, /^JACKFIELD_ACME_DIRECTORY needs a name that an authority/],
    [{ JACKFIELD_ACME_PORT: '81' }, /^JACKFIELD_ACME_PORT needs JACKFIELD_ACME_DIRECTORY/],
    [
      { ...named, JACKFIELD_ACME_PORT: '8080' },
      /^JACKFIELD_ACME_PORT must be another port than JACKFIELD_HTTP_PORT/,
    ],
    [
      { ...named, JACKFIELD_TLS_CERT: 'a.pem', JACKFIELD_TLS_KEY: 'b.pem' },
      /^JACKFIELD_ACME_DIRECTORY must not be set together with JACKFIELD_TLS_CERT/,
    ],
  ] as const) {
    const [problem] = problemsOf(env);
    assert.match(problem!.sentence, sentence);
  }
});

test('media has a thread for each core but one, and no more than there are pairs of ports', () => {
  assert.equal(configOf({}).mediaWorkers, Math.max(1, availableParallelism() - 1));
  assert.equal(configOf({ JACKFIELD_RTP_PORTS: '20001-20003' }).mediaWorkers, 1);
  assert.equal(configOf({ JACKFIELD_MEDIA_WORKERS: '3' }).mediaWorkers, 3);
  const [tooMany] = problemsOf({ JACKFIELD_MEDIA_WORKERS: '3', JACKFIELD_RTP_PORTS: '20001-20005' });
  assert.match(tooMany!.sentence, /JACKFIELD_MEDIA_WORKERS is 3, but JACKFIELD_RTP_PORTS has 2 pairs/);
  const [noPort] = problemsOf({ JACKFIELD_MEDIA_WORKERS: '3', JACKFIELD_WEBRTC_PORT: '65534' });
  assert.match(noPort!.sentence, /JACKFIELD_WEBRTC_PORT is 65534, but 3 media workers .* at most 65533/);
});

test('WebRTC has a port of its own, or is off', () => {
  assert.equal(configOf({ JACKFIELD_WEBRTC_PORT: '3478' }).webrtcPort, 3478);
  assert.equal(configOf({ JACKFIELD_WEBRTC_PORT: 'OFF' }).webrtcPort, 'off');
});

test('the speech engine is a URL or a program, with a key and languages', () => {
  const url = 'https://host/v1/audio/transcriptions';
  assert.equal(configOf({}).speechEngine, undefined);
  assert.deepEqual(
    configOf({
      JACKFIELD_SPEECH_ENGINE: url,
      JACKFIELD_SPEECH_ENGINE_KEY: 'secret',
      JACKFIELD_SPEECH_ENGINE_LANGUAGES: 'en, pt-BR',
    }).speechEngine,
    { kind: 'http', url, key: 'secret', languages: ['en', 'pt-BR'] },
  );
  assert.deepEqual(configOf({ JACKFIELD_SPEECH_ENGINE: 'wss://host/' }).speechEngine, {
    kind: 'websocket',
    url: 'wss://host/',
  });
  assert.deepEqual(
    configOf({ JACKFIELD_SPEECH_ENGINE: 'command:recognise  -lang {language}' }).speechEngine,
    {
      kind: 'process',
      command: ['recognise', '-lang', '{language}'],
    },
  );
});

test('the speech engine is printed without user, password, query and arguments', () => {
  const printed = (value: string) => {
    const result = load({ JACKFIELD_SPEECH_ENGINE: value });
    return result.ok
      ? result.inForce.find(({ variable }) => variable === 'JACKFIELD_SPEECH_ENGINE')!.value
      : result.problems.map(({ sentence }) => sentence).join('\n');
  };
  assert.equal(printed('https://host/v1?token=hunter2'), 'https://host/v1?[hidden]');
  assert.equal(printed('command:recognise -key hunter2'), 'command:recognise […]');
  for (const value of [
    'https://me:hunter2@host/',
    'wss://me:hun/hunter2@host/',
    'ftp://me:h?hunter2@host/',
  ]) {
    assert.match(printed(value), /not ".*\[hidden\]@host/);
    assert.doesNotMatch(printed(value), /hunter2/);
  }
});

test('variables are applied, and an empty variable counts as not set', () => {
  const config = configOf({
    JACKFIELD_SANDBOX: 'FALSE',
    JACKFIELD_ACTIVITY: 'false',
    JACKFIELD_KEEP_SIGNALLING: 'true',
    JACKFIELD_HTTP_PORT: '0',
    JACKFIELD_HTTP_HOST: '',
    JACKFIELD_SIP_HOST: '192.0.2.7',
    JACKFIELD_SIP_DOMAINS: 'Voice.Example.org, 192.0.2.7',
    JACKFIELD_SIP_DIGEST: 'sha-256, MD5',
    JACKFIELD_SRTP: 'Require',
    JACKFIELD_MEDIA_PRIORITY: 'OFF',
    JACKFIELD_RTP_PORTS: '20000-20099',
    JACKFIELD_RTP_SOURCES: '198.51.100.0/24, 2001:db8::/32',
    JACKFIELD_DATABASE_URL: 'postgres://me:pw@db/jackfield',
    JACKFIELD_AUTH_ID: 'MA0123456789ABCDEFGH',
    JACKFIELD_AUTH_TOKEN: 'abcdefghijklmnopqrstuvwxyz',
    JACKFIELD_SECRET_KEY: 'ab'.repeat(32),
    JACKFIELD_EGRESS_ALLOW: '10.0.0.0/8, fd00::/8',
    JACKFIELD_PUBLIC_URL: 'https://calls.example.com/',
    JACKFIELD_SIGNATURE_PREFIXES: 'X-Acme-, X-Service-',
    JACKFIELD_RATES: '/etc/rates.json',
    JACKFIELD_CALLBACK_DAYS: '30',
    JACKFIELD_KEPT_EVENTS: '20000000',
    JACKFIELD_DRAIN_SECONDS: '600',
    JACKFIELD_CALL_DAYS: '400',
    JACKFIELD_MULTIPARTY_CALL_DAYS: '90',
    JACKFIELD_VERIFY_DAYS: '1',
    JACKFIELD_LOG_LEVEL: 'debug',
    HOME: '/root',
  });
  assert.equal(config.sandbox, false);
  assert.equal(config.activity, false);
  assert.equal(config.keepSignalling, true);
  assert.deepEqual(config.http, { host: '0.0.0.0', port: 0 });
  assert.deepEqual(config.sip.domains, ['voice.example.org', '192.0.2.7']);
  assert.deepEqual(config.sip.digest, ['SHA-256', 'MD5']);
  assert.equal(config.sip.srtp, 'require');
  assert.equal(config.mediaPriority, 'off');
  assert.deepEqual(config.egressAllow, ['10.0.0.0/8', 'fd00::/8']);
  assert.equal(config.publicAddress, '192.0.2.7');
  assert.deepEqual(config.rtpPorts, { first: 20_000, last: 20_099 });
  assert.deepEqual(config.rtpSources, ['198.51.100.0/24', '2001:db8::/32']);
  assert.deepEqual(config.account, {
    authId: 'MA0123456789ABCDEFGH',
    authToken: 'abcdefghijklmnopqrstuvwxyz',
  });
  assert.equal(config.secretKey?.length, 32);
  assert.equal(config.logLevel, 'debug');
  assert.equal(config.publicUrl, 'https://calls.example.com');
  assert.deepEqual(config.signaturePrefixes, ['X-Acme-', 'X-Service-']);
  assert.equal(config.ratesFile, '/etc/rates.json');
  assert.equal(config.drainSeconds, 600);
  assert.deepEqual([config.callbackDays, config.recordingDays], [30, undefined]);
  assert.equal(config.keptEvents, 20_000_000);
  assert.deepEqual([config.callDays, config.multipartyCallDays, config.verifyDays], [400, 90, 1]);
});

test('the API is reached at its own address, or at the public one where it listens on every address', () => {
  assert.equal(configOf({ JACKFIELD_HTTP_PORT: '8081' }).publicUrl, 'http://127.0.0.1:8081');
  const everywhere = { JACKFIELD_HTTP_HOST: '::', JACKFIELD_PUBLIC_ADDRESS: '2001:db8::1' };
  assert.equal(configOf(everywhere).publicUrl, 'http://[2001:db8::1]:8080');
});

test('Public addresses: one of each family, others for their networks, and STUN in place of those for every network', () => {
  const addresses = '198.51.100.7, 2001:db8::7, 10.0.0.5@10.0.0.0/8';
  const config = configOf({ JACKFIELD_PUBLIC_ADDRESS: addresses });
  assert.equal(config.publicAddress, '198.51.100.7');
  assert.deepEqual(config.publicAddresses?.at(-1), { address: '10.0.0.5', network: '10.0.0.0/8' });
  const asked = {
    JACKFIELD_PUBLIC_ADDRESS: '10.0.0.5@10.0.0.0/8',
    JACKFIELD_STUN_SERVER: '[2001:db8::1]:3478',
  };
  assert.equal(configOf(asked).stunServer, '[2001:db8::1]:3478');
  assert.equal(configOf(asked).publicAddress, '127.0.0.1');
  const [both] = problemsOf({ ...asked, JACKFIELD_PUBLIC_ADDRESS: '198.51.100.7' });
  assert.match(both!.sentence, /^JACKFIELD_STUN_SERVER must not be set together with 198\.51\.100\.7/);
});

test('TLS: a certificate and its key come together, SIPS listens on 5061 and the API is reached over HTTPS', () => {
  const files = { JACKFIELD_TLS_CERT: '/etc/cert.pem', JACKFIELD_TLS_KEY: '/etc/key.pem' };
  const config = configOf(files);
  assert.deepEqual(config.tls, {
    port: 5061,
    isHttps: true,
    certFile: '/etc/cert.pem',
    keyFile: '/etc/key.pem',
  });
  assert.equal(config.publicUrl, 'https://127.0.0.1:8080');
  assert.equal(configOf({ ...files, JACKFIELD_SIPS_PORT: '5071' }).tls?.port, 5071);
  assert.equal(configOf({}).tls, undefined);
  const behindProxy = configOf({ ...files, JACKFIELD_HTTP_TLS: 'false' });
  assert.deepEqual([behindProxy.tls?.isHttps, behindProxy.publicUrl], [false, 'http://127.0.0.1:8080']);
  assert.equal(configOf({ ...files, JACKFIELD_TLS_CA: '/etc/ca.pem' }).tls?.authoritiesFile, '/etc/ca.pem');
  for (const [env, sentence] of [
    [{ JACKFIELD_TLS_CERT: '/a' }, /^JACKFIELD_TLS_KEY must be set together with JACKFIELD_TLS_CERT$/],
    [{ JACKFIELD_TLS_KEY: '/a' }, /^JACKFIELD_TLS_CERT must be set together with JACKFIELD_TLS_KEY$/],
    [{ JACKFIELD_TLS_CA: '/a' }, /^JACKFIELD_TLS_CA needs JACKFIELD_TLS_CERT and JACKFIELD_TLS_KEY/],
    [{ JACKFIELD_HTTP_TLS: 'true' }, /^JACKFIELD_HTTP_TLS needs JACKFIELD_TLS_CERT and JACKFIELD_TLS_KEY/],
    [{ JACKFIELD_SIPS_PORT: '5061' }, /^JACKFIELD_SIPS_PORT needs JACKFIELD_TLS_CERT and JACKFIELD_TLS_KEY/],
    [
      { ...files, JACKFIELD_SIPS_PORT: '5060' },
      /^JACKFIELD_SIPS_PORT must be another port than JACKFIELD_SIP_PORT/,
    ],
    [
      { ...files, JACKFIELD_SIPS_PORT: '8080' },
      /^JACKFIELD_SIPS_PORT must be another port than JACKFIELD_HTTP_PORT/,
    ],
  ] as const) {
    const problems = problemsOf(env);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!.sentence, sentence);
  }
});

const wrong: Readonly<Record<string, readonly string[]>> = {
  JACKFIELD_SANDBOX: ['yes', '1'],
  JACKFIELD_SANDBOX_SPEECH: ['beeps', 'true'],
  JACKFIELD_ACTIVITY: ['quiet'],
  JACKFIELD_KEEP_SIGNALLING: ['some'],
  JACKFIELD_HTTP_HOST: ['http://x', '256.1.1.1', '-a'],
  JACKFIELD_HTTP_PORT: ['65536', '-1', '80a', '8.0', '1e3'],
  JACKFIELD_OPERATOR_HOST: ['a b'],
  JACKFIELD_ACME_DIRECTORY: ['http://ca.example.com/dir', 'letsencrypt'],
  JACKFIELD_ACME_PORT: ['65536', 'http'],
  JACKFIELD_OTLP_URL: ['127.0.0.1:4318', 'grpc://a'],
  JACKFIELD_OTLP_HEADERS: ['authorization', 'a b=c', 'a=b,'],
  JACKFIELD_STUN_SERVER: ['stun:stun.example.com', 'stun.example.com:x', ':3478'],
  JACKFIELD_HTTP_TLS: ['proxy'],
  JACKFIELD_OPERATOR_PORT: ['65536', 'metrics'],
  JACKFIELD_SIP_HOST: ['a b'],
  JACKFIELD_SIP_PORT: ['sip'],
  JACKFIELD_SIPS_PORT: ['x'],
  JACKFIELD_SIP_DOMAINS: ['a,,b', 'sip:a', 'a_b'],
  JACKFIELD_SIP_DIGEST: ['SHA1', 'MD5,', 'MD5 SHA-256'],
  JACKFIELD_SRTP: ['on', 'true'],
  JACKFIELD_MEDIA_PRIORITY: ['on', 'real-time'],
  JACKFIELD_WEBRTC_PORT: ['0', '65536', 'on'],
  JACKFIELD_WEBRTC_SIGNALLING: ['wss', 'plain'],
  JACKFIELD_TURN_URLS: ['turn.example.com', 'stun:a', 'turn:a b'],
  JACKFIELD_TURN_SECRET: ['short', 'with a space in the middle'],
  JACKFIELD_OIDC_ISSUER: ['login.example.com', 'http://login.example.com', 'https://login.example.com/?a=1'],
  JACKFIELD_OIDC_CLIENT_ID: ['two words'],
  JACKFIELD_OIDC_CLIENT_SECRET: ['two words'],
  JACKFIELD_OIDC_SCOPE: ['profile email', 'openid  email'],
  JACKFIELD_OIDC_GROUPS_CLAIM: ['two words'],
  JACKFIELD_OIDC_OWNERS: ['a,,b'],
  JACKFIELD_OIDC_OPERATORS: ['a,'],
  JACKFIELD_OIDC_VIEWERS: [','],
  JACKFIELD_BROWSER_CODECS: ['G722', 'opus,opus', 'speex', 'opus PCMU'],
  JACKFIELD_PUBLIC_ADDRESS: [
    'example.org',
    '1.2.3',
    '1.2.3.4,1.2.3.5',
    '1.2.3.4@10.0.0.0',
    '1.2.3.4@10.0.0.0/8@::/0',
  ],
  JACKFIELD_RTP_PORTS: ['40000', '40999-40000', '1000-2000', '60000-70000'],
  JACKFIELD_MEDIA_WORKERS: ['0', '257', 'all'],
  JACKFIELD_RTP_SOURCES: ['198.51.100.7', '10.0.0.0/33'],
  JACKFIELD_DATABASE_URL: ['mysql://a/b', 'db'],
  JACKFIELD_NATS_URL: ['http://a', 'nats://a,http://b', 'nats://a,tls://b', 'nats://a/path', 'nats://'],
  JACKFIELD_NODE: ['-a', 'a b', 'a_b'],
  JACKFIELD_NODE_ADDRESS: ['one.example.com', '10.0.0.1:4000'],
  JACKFIELD_AUTH_ID: ['SA0123456789ABCDEFGH', 'MA1'],
  JACKFIELD_AUTH_TOKEN: ['short', 'with a blank in the middle'],
  JACKFIELD_SECRET_KEY: ['abc'],
  JACKFIELD_EGRESS_ALLOW: ['10.0.0.0', '10.0.0.0/33', 'a/8'],
  JACKFIELD_PUBLIC_URL: ['calls.example.com', 'ftp://a', 'https://a/path', 'https://me:pw@a'],
  JACKFIELD_SIGNATURE_PREFIXES: ['X-Acme', 'X Acme-', 'X-A-,'],
  JACKFIELD_SPEECH_ENGINE: ['pocketsphinx', 'command:', 'ftp://host/'],
  JACKFIELD_SPEECH_ENGINE_KEY: ['a b', 'x'.repeat(501)],
  JACKFIELD_SPEECH_ENGINE_LANGUAGES: ['english!', 'en,,fr', 'e'],
  JACKFIELD_CALLBACK_DAYS: ['0', '1.5', '-1', '4000'],
  JACKFIELD_KEPT_EVENTS: ['0', 'all', '1000000001'],
  JACKFIELD_DRAIN_SECONDS: ['-1', '1.5', '30s', '86401'],
  JACKFIELD_RECORDING_DAYS: ['none'],
  JACKFIELD_DOCS: ['perhaps'],
  JACKFIELD_METRICS_TOKEN: ['short', 'a token with spaces in it'],
  JACKFIELD_CALL_DAYS: ['0', '3651'],
  JACKFIELD_MULTIPARTY_CALL_DAYS: ['1.5'],
  JACKFIELD_VERIFY_DAYS: ['-1'],
  JACKFIELD_LOG_LEVEL: ['verbose'],
};
for (const [name, values] of Object.entries(wrong)) {
  test(`${name}: a wrong value is refused with name, value and what is allowed`, () => {
    const variable = Object.values(configVariables).find((each) => each.name === name)!;
    for (const value of values) {
      const problem = problemsOf({ [name]: value }).find((each) => each.variable === name);
      const said = 'secret' in variable ? '[hidden]' : JSON.stringify(value);
      assert.equal(problem?.sentence, `${name} must be ${variable.allowed}, not ${said}`);
    }
  });
}

test('all wrong variables are reported together', () => {
  const problems = problemsOf({
    JACKFIELD_HTTP_PORT: 'a',
    JACKFIELD_SIP_PORT: 'b',
    JACKFIELD_LOG_LEVEL: 'c',
    JACKFIELD_HTPP_PORT: '1',
  });
  assert.equal(problems.length, 4);
});

test('an unknown variable is refused with the nearest name', () => {
  for (const [name, nearest] of [
    ['JACKFIELD_HTPP_PORT', 'JACKFIELD_HTTP_PORT'],
    ['JACKFIELD_DATABASEURL', 'JACKFIELD_DATABASE_URL'],
    ['jackfield_rtp_port', 'JACKFIELD_RTP_PORTS'],
  ] as const) {
    assert.match(problemsOf({ [name]: 'x' })[0]!.sentence, new RegExp(`did you mean ${nearest}\\?`));
  }
});

test('values that contradict each other are refused', () => {
  assert.match(
    problemsOf({ JACKFIELD_SIP_PORT: '8080' })[0]!.sentence,
    /another port than JACKFIELD_HTTP_PORT/,
  );
  assert.match(problemsOf({ JACKFIELD_RTP_PORTS: '5000-6000' })[0]!.sentence, /leave out the SIP port 5060/);
  const [alone] = problemsOf({ JACKFIELD_AUTH_TOKEN: 'abcdefghijklmnopqrstuvwxyz' });
  assert.match(alone!.sentence, /JACKFIELD_AUTH_ID must be set together with JACKFIELD_AUTH_TOKEN/);
});

test('tones are spoken in the sandbox alone, and by no other engine', () => {
  const tones = { JACKFIELD_SANDBOX_SPEECH: 'tones' };
  assert.equal(configOf(tones).speaksTones, true);
  const [outside] = problemsOf({ ...tones, JACKFIELD_SANDBOX: 'false' });
  assert.match(outside!.sentence, /must be voices outside the sandbox, not tones/);
  const [both] = problemsOf({ ...tones, JACKFIELD_SPEECH_ENGINE: 'ws://127.0.0.1:7000' });
  assert.match(
    both!.sentence,
    /JACKFIELD_SPEECH_ENGINE must not be set together with JACKFIELD_SANDBOX_SPEECH=tones/,
  );
});

test('a node needs the database and the key of all nodes, and in production a store of recordings', () => {
  const shared = {
    JACKFIELD_NATS_URL: 'nats://me:hunter2@nats.example.com',
    JACKFIELD_DATABASE_URL: 'postgres://db/jackfield',
    JACKFIELD_SECRET_KEY: 'ab'.repeat(32),
  };
  const own = { JACKFIELD_NODE: 'one', JACKFIELD_NODE_ADDRESS: '10.0.0.1' };
  const { cluster } = configOf({ ...shared, JACKFIELD_SANDBOX: 'true', ...own });
  assert.deepEqual(cluster, {
    node: 'one',
    address: '10.0.0.1',
    nats: {
      servers: ['nats.example.com:4222'],
      isTls: false,
      credentials: { user: 'me', password: 'hunter2' },
    },
  });
  const sentences = (env: Record<string, string>) => problemsOf(env).map(({ sentence }) => sentence);
  const { JACKFIELD_NATS_URL } = shared;
  assert.deepEqual(
    sentences({ JACKFIELD_NATS_URL, JACKFIELD_SANDBOX: 'false' }),
    ['DATABASE_URL', 'SECRET_KEY', 'RECORDINGS_S3_URL'].map(
      (name) => `JACKFIELD_${name} must be set together with JACKFIELD_NATS_URL: all nodes share it`,
    ),
  );
  assert.deepEqual(sentences({ JACKFIELD_NODE: 'one' }), [
    'JACKFIELD_NODE needs JACKFIELD_NATS_URL: without it one process owns the database',
  ]);
});

test('a TURN server needs its URLs and its secret', () => {
  const turn = {
    JACKFIELD_TURN_URLS: 'turn:turn.example.com:3478',
    JACKFIELD_TURN_SECRET: 'a-long-secret-of-both-servers',
  };
  const result = load(turn);
  assert.ok(result.ok);
  assert.deepEqual(
    [result.config.turnUrls, result.config.turnSecret],
    [[turn.JACKFIELD_TURN_URLS], turn.JACKFIELD_TURN_SECRET],
  );
  for (const [name, other] of [
    ['JACKFIELD_TURN_URLS', 'JACKFIELD_TURN_SECRET'],
    ['JACKFIELD_TURN_SECRET', 'JACKFIELD_TURN_URLS'],
  ] as const) {
    assert.deepEqual(
      problemsOf({ [name]: turn[name] }).map(({ sentence }) => sentence),
      [`${other} must be set together with ${name}`],
    );
  }
});

test('an identity provider needs its client, a group with a role, and an address to come back to over TLS', () => {
  const provider = {
    JACKFIELD_PUBLIC_URL: 'https://calls.example.com',
    JACKFIELD_OIDC_ISSUER: 'https://login.example.com/realms/desk',
    JACKFIELD_OIDC_CLIENT_ID: 'jackfield',
    JACKFIELD_OIDC_CLIENT_SECRET: 'hunter2',
    JACKFIELD_OIDC_OPERATORS: 'desk, night shift',
  };
  const result = load(provider);
  assert.ok(result.ok);
  assert.deepEqual(result.config.identity, {
    issuer: 'https://login.example.com/realms/desk',
    clientId: 'jackfield',
    clientSecret: 'hunter2',
    scope: 'openid profile email',
    groupsClaim: 'groups',
    groups: { owner: [], operator: ['desk', 'night shift'], viewer: [] },
  });
  assert.ok(!describeConfig(result.inForce).includes('hunter2'));
  const sentences = (env: Record<string, string>) => problemsOf(env).map(({ sentence }) => sentence);
  assert.deepEqual(sentences({ ...provider, JACKFIELD_OIDC_CLIENT_SECRET: '' }), [
    'JACKFIELD_OIDC_CLIENT_SECRET must be set together with JACKFIELD_OIDC_ISSUER',
  ]);
  assert.match(sentences({ ...provider, JACKFIELD_OIDC_OPERATORS: '' })[0]!, /must name a group/);
  assert.match(
    sentences({ ...provider, JACKFIELD_PUBLIC_URL: 'http://calls.example.com' })[0]!,
    /needs a JACKFIELD_PUBLIC_URL with https:/,
  );
  assert.deepEqual(
    sentences({ JACKFIELD_OIDC_SCOPE: 'openid' }).map((sentence) => sentence.split(' ')[0]),
    [
      'JACKFIELD_OIDC_ISSUER',
      'JACKFIELD_OIDC_CLIENT_ID',
      'JACKFIELD_OIDC_CLIENT_SECRET',
      'JACKFIELD_OIDC_OWNERS,',
    ],
  );
});

test('an S3-compatible store needs all its variables, and its secret is not printed', () => {
  const store = {
    JACKFIELD_RECORDINGS_S3_URL: 'https://s3.example.com',
    JACKFIELD_RECORDINGS_S3_BUCKET: 'calls',
    JACKFIELD_RECORDINGS_S3_KEY: 'AKIA',
    JACKFIELD_RECORDINGS_S3_SECRET: 'hunter2',
  };
  const result = load(store);
  assert.ok(result.ok);
  assert.deepEqual(result.config.recordingsStore, {
    url: 'https://s3.example.com',
    bucket: 'calls',
    key: 'AKIA',
    secret: 'hunter2',
    region: 'us-east-1',
  });
  assert.doesNotMatch(describeConfig(result.inForce), /hunter2/);
  const { JACKFIELD_RECORDINGS_S3_SECRET: _, ...without } = store;
  assert.match(
    problemsOf(without)[0]!.sentence,
    /JACKFIELD_RECORDINGS_S3_SECRET must be set together with JACKFIELD_RECORDINGS_S3_URL/,
  );
  assert.match(
    problemsOf({ ...store, JACKFIELD_RECORDINGS_S3_BUCKET: 'A bucket' })[0]!.sentence,
    /small letters/,
  );
});

test('the configuration in force is printed for every variable in use, with secrets hidden', () => {
  const result = load({
    JACKFIELD_DATABASE_URL: 'postgres://me:hunter2@db/jackfield',
    JACKFIELD_AUTH_ID: 'MA0123456789ABCDEFGH',
    JACKFIELD_AUTH_TOKEN: 'hunter2hunter2hunter2',
    JACKFIELD_SECRET_KEY: 'ab'.repeat(32),
  });
  assert.ok(result.ok);
  const text = describeConfig(result.inForce);
  assert.doesNotMatch(text, /hunter2|abab/);
  assert.match(text, /^JACKFIELD_HTTP_PORT +8080 {2}\(default\)$/m);
  assert.match(text, /^JACKFIELD_AUTH_TOKEN +\[hidden\]$/m);
  for (const variable of Object.values(configVariables)) {
    assert.ok(text.includes(variable.name), variable.name);
  }
});

test('the environment overrides the file .env, and a missing file is allowed', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'config-'));
  t.after(() => rmSync(directory, { recursive: true }));
  assert.deepEqual(readEnvironment(directory, { A: '1' }), { A: '1' });
  writeFileSync(join(directory, '.env'), '# ports\nJACKFIELD_HTTP_PORT=1\nJACKFIELD_SIP_PORT="2"\n');
  const env = readEnvironment(directory, { JACKFIELD_HTTP_PORT: '3' });
  assert.deepEqual(env, { JACKFIELD_HTTP_PORT: '3', JACKFIELD_SIP_PORT: '2' });
});

test('a mistake in the file .env is named with its line, and no value of a line that is not understood', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'config-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const problemsOfFile = (text: string, env = {}) => {
    writeFileSync(join(directory, '.env'), text);
    const loaded = loadSettings('dev', directory, env);
    return loaded.ok ? [] : loaded.problems.map(({ sentence }) => sentence.replace(directory, '…'));
  };
  const wrong = '# ports\n\nJACKFIELD_HTTP_PORT=x\n';
  const sentence = 'JACKFIELD_HTTP_PORT must be a port from 0 (any free one) to 65535, not "x"';
  assert.deepEqual(problemsOfFile(wrong), [`${sentence} (.env, line 3)`]);
  assert.deepEqual(problemsOfFile(wrong, { JACKFIELD_HTTP_PORT: '8080' }), []);
  assert.deepEqual(problemsOfFile(wrong, { JACKFIELD_HTTP_PORT: 'y' }), [sentence.replace('"x"', '"y"')]);
  assert.deepEqual(problemsOfFile('export A=1\nhunter2\nB="two\nlines"\n'), [
    '…/.env: line 2 must be NAME=value, a # comment or empty',
  ]);
  assert.deepEqual(problemsOfFile('A=1\nB="two\nlines\n'), ['…/.env: line 2 has a " that nothing closes']);
});

test('docs/operate/configuration.md has a row for every variable and names no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operate/configuration.md'), 'utf8');
  const documented = [...text.matchAll(/^\| `(JACKFIELD_[A-Z0-9_]+)`/gm)].map((match) => match[1]);
  assert.deepEqual(
    documented.sort(),
    Object.values(configVariables)
      .map(({ name }) => name)
      .sort(),
  );
});
