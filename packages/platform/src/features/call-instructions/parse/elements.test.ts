import {
  actionMethod,
  actionUrl,
  callbackMethod,
  callbackUrl,
  flag,
  integer,
  keys,
  plainUrl,
  testAttributes,
} from './testing/attribute-table.ts';

const action = 'action="https://a.example"';
const callback = 'callbackUrl="https://a.example"';
const loop = integer('loop', [0, 10_000], 1);
const language = {
  allowed: [
    ['de-DE', 'de-DE'],
    ['arb', 'arb'],
  ],
  refused: ['', 'en US', 'x'.repeat(36), 'é'],
} as const;

testAttributes({
  element: 'Speak',
  written: '<Speak @>Hello</Speak>',
  attributes: {
    voice: {
      sets: 'voice',
      byDefault: 'woman',
      allowed: [
        ['WOMAN', 'woman'],
        ['man', 'man'],
      ],
      refused: ['', 'child', 'Polly.', 'Amy'],
    },
    language: { sets: 'language', byDefault: 'en-US', ...language },
    loop,
  },
});

testAttributes({
  element: 'Play',
  written: '<Play @>https://a.example/a.mp3</Play>',
  attributes: { loop },
});

testAttributes({
  element: 'Wait',
  written: '<Wait @/>',
  attributes: {
    length: integer('lengthMs', [1, 86_400], 1, 1000),
    silence: flag('silence', false),
    minSilence: integer('minSilenceMs', [100, 60_000], null),
    beep: {
      sets: 'beep',
      byDefault: false,
      allowed: [
        ['true', true],
        ['False', false],
      ],
      refused: [],
    },
    untilBeep: flag('untilBeep', false),
  },
});

testAttributes({ element: 'PreAnswer', written: '<PreAnswer @/>', attributes: {} });

testAttributes({
  element: 'GetDigits',
  written: '<GetDigits @/>',
  attributes: {
    action: actionUrl('action'),
    method: actionMethod('action.method', action),
    redirect: flag('redirect', true),
    timeout: integer('timeoutMs', [1, 600], 5, 1000),
    digitTimeout: integer('digitTimeoutMs', [1, 600], 2, 1000),
    numDigits: integer('numDigits', [1, 99], 99),
    retries: integer('retries', [1, 100], 1),
    finishOnKey: keys('finishOnKey', '#'),
    validDigits: {
      sets: 'validDigits',
      byDefault: '1234567890*#',
      allowed: [['1,2', '12']],
      refused: ['', 'none', 'a'],
    },
    playBeep: flag('playBeep', false),
    invalidDigitsSound: plainUrl('invalidDigitsSound'),
    log: flag('log', true),
  },
});

const seconds = (sets?: string) => ({
  ...integer(sets, [2, 10], null, 1000),
  allowed: [
    ['2', 2000],
    ['10', 10_000],
    ['Auto', null],
  ] as const,
});
testAttributes({
  element: 'GetInput',
  written: '<GetInput action="https://d.example" @/>',
  attributes: {
    action: { allowed: [], refused: [] },
    method: { ...actionMethod('action.method', ''), byDefault: 'POST' },
    inputType: { allowed: ['dtmf', 'DTMF'], refused: ['', 'speech', 'Speech', 'keys'] },
    redirect: flag('redirect', true),
    log: flag('log', true),
    executionTimeout: integer('executionTimeoutMs', [5, 60], 15, 1000),
    digitEndTimeout: { sets: 'digitEndTimeoutMs', byDefault: null, ...seconds('digitEndTimeoutMs') },
    speechEndTimeout: seconds(),
    numDigits: integer('numDigits', [1, 32], 32),
    finishOnKey: keys('finishOnKey', '#'),
    language: { ...language },
    speechModel: { allowed: ['default', 'phone_call'], refused: ['', 'a b'] },
    hints: { allowed: ['yes, no', ''], refused: ['a&#9;b'] },
    profanityFilter: flag(undefined, false),
    interimSpeechResultsCallback: callbackUrl(),
    interimSpeechResultsCallbackMethod: callbackMethod(),
  },
});

testAttributes({
  element: 'Record',
  written: '<Record @/>',
  attributes: {
    action: actionUrl('action'),
    method: actionMethod('action.method', action),
    redirect: flag('redirect', true),
    fileFormat: {
      sets: 'format',
      byDefault: 'mp3',
      allowed: [
        ['WAV', 'wav'],
        ['mp3', 'mp3'],
      ],
      refused: ['', 'ogg'],
    },
    timeout: integer('timeoutMs', [1, 600], 15, 1000),
    maxLength: integer('maxLengthSeconds', [1, 86_400], 60),
    finishOnKey: keys('finishOnKey', '#'),
    playBeep: flag('playBeep', true),
    recordSession: flag('recordSession', false),
    startOnDialAnswer: flag('startOnDialAnswer', false),
    recordChannelType: {
      sets: 'channels',
      byDefault: 'stereo',
      allowed: [['Mono', 'mono']],
      refused: ['', 'dual'],
    },
    callbackUrl: callbackUrl('callback'),
    callbackMethod: callbackMethod('callback.method', callback),
    transcriptionType: { allowed: ['auto'], refused: [], warning: /JACKFIELD_SPEECH_ENGINE/ },
    transcriptionUrl: { ...callbackUrl(), warning: /JACKFIELD_SPEECH_ENGINE/ },
    transcriptionMethod: callbackMethod(),
    transcriptionLanguage: { allowed: ['de_DE'], refused: ['', 'a b'] },
    transcriptionRedact: { allowed: ['digits', 'None'], refused: ['', 'all'] },
  },
});

testAttributes({
  element: 'Redirect',
  written: '<Redirect @>https://a.example</Redirect>',
  attributes: { method: { ...actionMethod('request.method', ''), byDefault: 'POST' } },
});

testAttributes({
  element: 'Hangup',
  written: '<Hangup @/>',
  attributes: {
    reason: {
      sets: 'reason',
      byDefault: null,
      allowed: [
        ['rejected', 'rejected'],
        ['Busy', 'busy'],
      ],
      refused: ['', 'tired'],
    },
    schedule: integer('scheduleSeconds', [0, 86_400], 0),
  },
});

testAttributes({
  element: 'DTMF',
  written: '<DTMF @>12</DTMF>',
  attributes: { async: flag('isAsync', true) },
});

const statusCallback = 'statusCallbackUrl="https://a.example"';
testAttributes({
  element: 'Stream',
  written: '<Stream @> wss://a.example/audio </Stream>',
  attributes: {
    bidirectional: flag('bidirectional', false),
    audioTrack: {
      sets: 'audioTrack',
      byDefault: 'inbound',
      allowed: [
        ['Both', 'both'],
        ['outbound', 'outbound'],
      ],
      refused: ['', 'left'],
    },
    streamTimeout: integer('timeoutSeconds', [1, 86_400], 86_400),
    contentType: {
      sets: 'contentType',
      byDefault: 'audio/x-l16;rate=8000',
      allowed: ['8000', '16000', '24000']
        .map((rate) => `audio/x-l16;rate=${rate}`)
        .concat('audio/x-mulaw;rate=8000')
        .map((type) => [type, type] as const),
      refused: ['', 'audio/x-mulaw;rate=16000', 'audio/mpeg'],
    },
    keepCallAlive: flag('keepCallAlive', false),
    extraHeaders: {
      sets: 'extraHeaders',
      byDefault: '',
      allowed: [
        ['', ''],
        ['a=1,b=2', 'a=1,b=2'],
        ['{&quot;a&quot;:&quot;1&quot;}', '{"a":"1"}'],
        ['{{customer}}=4711', '{{customer}}=4711'],
      ],
      refused: [`a=${'é'.repeat(256)}`, 'a&#10;=b', 'hello', '{&apos;order&apos;:&apos;4711&apos;}'],
    },
    statusCallbackUrl: callbackUrl('statusCallback'),
    statusCallbackMethod: callbackMethod('statusCallback.method', statusCallback),
    statusCallbackEvents: {
      sets: 'middleEvents',
      byDefault: null,
      allowed: [
        ['playedStream, ClearedAudio', ['PlayedStream', 'ClearedAudio']],
        ['none', []],
        ['', []],
        ['StartStream,StopStream,PlayedStream', ['PlayedStream']],
        ['droppedstream', []],
      ],
      refused: ['everything', 'PlayedStream;ClearedAudio'],
    },
    resumable: flag('resumable', false),
    fallbackUrl: {
      sets: 'fallbackUrl',
      byDefault: null,
      allowed: [['ws://b.example/x', 'ws://b.example/x']],
      refused: ['', 'https://b.example'],
    },
    dialect: {
      sets: 'dialect',
      byDefault: 'plivo',
      allowed: [
        ['plivo', 'plivo'],
        ['twilio', 'twilio'],
      ],
      refused: ['', 'media-streams'],
    },
    binaryFrames: flag('binaryFrames', false),
    stopFrame: flag('stopFrame', true),
    voiceActivity: { allowed: ['true', 'False'], refused: ['', 'yes'] },
    voiceActivitySilence: {
      ...integer('voiceActivity.silenceMs', [100, 5_000], 500),
      byDefault: undefined,
      beside: 'voiceActivity="true"',
    },
    voiceActivityLevel: {
      sets: 'voiceActivity.levelDb',
      byDefault: undefined,
      allowed: [
        ['-60', -60],
        ['-20', -20],
      ],
      refused: ['-61', '-19', '-30.5', ''],
      beside: 'voiceActivity="true"',
    },
    noiseCancellation: flag(undefined, false),
    noiseCancellationLevel: {
      ...integer('noiseCancellationLevel', [60, 100], null),
      beside: 'noiseCancellation="true"',
    },
  },
});
