import type { Dial } from '../domain/instruction.ts';
import {
  actionMethod,
  actionUrl,
  badUrls,
  callbackMethod,
  callbackUrl,
  flag,
  integer,
  plainUrl,
  testAttributes,
} from './testing/attribute-table.ts';

const callerId = {
  sets: 'callerId',
  byDefault: null,
  allowed: [['+12025550100', '+12025550100']],
  refused: ['', 'a'.repeat(101), '&lt;a&gt;', 'a&#10;b'],
} as const;
const sipHeaders = {
  sets: 'sipHeaders',
  byDefault: {},
  allowed: [['a=1, X-PH-b=two words,c=x=y', { a: '1', b: 'two words', c: 'x=y' }]],
  refused: [
    '',
    'a',
    'a=1,',
    '=1',
    'a=1,A=2',
    'a=',
    'a=é',
    'a b=1',
    Array.from({ length: 21 }, (_, n) => `a${n}=1`).join(),
    'X-PH-=1',
    'a=1&#13;2',
    `${'a'.repeat(25)}=1`,
    `a=${'b'.repeat(121)}`,
  ],
} as const;
const sendDigits = {
  sets: 'sendDigits',
  byDefault: '',
  allowed: [
    ['ww12*#', 'ww12*#'],
    ['', ''],
  ],
  refused: ['1-2', 'x', '1'.repeat(101)],
} as const;
const preAnswer = {
  sets: 'sendOnPreanswer',
  byDefault: false,
  allowed: [
    ['TRUE', true],
    ['false', false],
  ],
  refused: ['1'],
} as const;
const destination = (instruction: unknown) => (instruction as Dial).destinations[0];
const sequences = (sets: string) =>
  ({
    sets,
    byDefault: [],
    allowed: [
      ['1', ['1']],
      ['12,*3 , #', ['12', '*3', '#']],
    ],
    refused: ['', 'a', '1,,2', '1'.repeat(25)],
  }) as const;

testAttributes({
  element: 'Dial',
  written: '<Dial @><Number>+12025550100</Number></Dial>',
  attributes: {
    action: actionUrl('action'),
    method: actionMethod('action.method', 'action="https://a.example"'),
    redirect: flag('redirect', true),
    timeout: integer('timeoutSeconds', [1, 600], 120),
    timeLimit: integer('timeLimitSeconds', [1, 86_400], 14_400),
    callerId,
    callerName: {
      sets: 'callerName',
      byDefault: null,
      allowed: [['Ann é', 'Ann é']],
      refused: ['', 'a'.repeat(51), 'a&#10;b'],
    },
    hangupOnStar: flag('hangupOnStar', false),
    callbackUrl: callbackUrl('callback'),
    callbackMethod: callbackMethod('callback.method', 'callbackUrl="https://a.example"'),
    confirmSound: plainUrl('confirmSound'),
    confirmKey: {
      sets: 'confirmKey',
      byDefault: null,
      allowed: [
        ['1', '1'],
        ['#', '#'],
      ],
      refused: ['', '12', 'A'],
    },
    confirmTimeout: integer('confirmTimeoutSeconds', [1, 600], 15),
    dialMusic: {
      sets: 'dialMusic',
      byDefault: null,
      allowed: [
        ['Real', 'real'],
        ['none', null],
        ['https://a.example/m.mp3', 'https://a.example/m.mp3'],
      ],
      refused: badUrls,
    },
    digitsMatch: sequences('digitsMatch'),
    digitsMatchBLeg: sequences('digitsMatchBLeg'),
    sipHeaders,
    machineDetection: {
      sets: 'machineDetection.hangsUp',
      byDefault: undefined,
      allowed: [
        ['TRUE', false],
        ['hangup', true],
        ['false', undefined],
      ],
      refused: ['', 'yes'],
    },
    machineDetectionTime: {
      ...integer('machineDetection.timeMs', [2_000, 10_000], 5_000),
      byDefault: undefined,
      beside: 'machineDetection="true"',
    },
    machineDetectionUrl: { ...callbackUrl(), beside: 'machineDetection="true"' },
    machineDetectionMethod: { ...callbackMethod(), beside: 'machineDetection="true"' },
  },
});

testAttributes({
  element: 'Number',
  written: '<Dial><Number @>+12025550100</Number></Dial>',
  at: destination,
  attributes: {
    sendDigits,
    sendOnPreanswer: preAnswer,
    sendDigitsMode: { allowed: ['inband'], refused: [], warning: /RFC 4733/ },
    callerId,
  },
});

testAttributes({
  element: 'User',
  written: '<Dial><User @>sip:alice@sip.example.com</User></Dial>',
  at: destination,
  attributes: {
    sendDigits,
    sendOnPreanswer: preAnswer,
    sipHeaders,
    sipAuthUsername: { allowed: ['alice'], refused: [], warning: /not used/ },
    sipAuthPassword: { allowed: ['secret'], refused: [], warning: /not used/ },
  },
});

const sound = (sets: string, byDefault: string) =>
  ({
    sets,
    byDefault,
    allowed: [
      ['beep:1', 'beep:1'],
      ['Beep:2', 'beep:2'],
      ['none', 'none'],
    ],
    refused: ['', 'beep', 'beep:3', 'ftp://a.example'],
  }) as const;
const announced = (sets: string) =>
  ({
    sets,
    byDefault: undefined,
    allowed: [['https://a.example', 'https://a.example']],
    refused: badUrls,
  }) as const;
const announcedMethod = (sets: string, url: string) => callbackMethod(sets, `${url}="https://a.example"`);
const ofAiAgents = { allowed: [], refused: ['x', ''] } as const;
const statusCallback = 'statusCallbackUrl="https://a.example"';

testAttributes({
  element: 'MultiPartyCall',
  written: '<MultiPartyCall role="Customer" @> room 1 </MultiPartyCall>',
  attributes: {
    role: { allowed: [], refused: [] },
    maxDuration: integer('maxDurationSeconds', [300, 28_800], 14_400),
    maxParticipants: integer('maxParticipants', [2, 10], 10),
    recordMinMemberCount: integer('recordMinMemberCount', [1, 2], 1),
    record: flag('recording.wholeCall', false),
    recordParticipantTrack: flag('recording.eachParticipant', false),
    recordCoachVoice: flag('recording.coachVoice', true),
    recordFileFormat: {
      sets: 'recording.format',
      byDefault: 'mp3',
      allowed: [
        ['mp3', 'mp3'],
        ['WAV', 'wav'],
      ],
      refused: ['', 'ogg'],
    },
    waitForAgent: flag('waitForAgent', false),
    waitTime: {
      ...integer('waitSeconds', [0, 1800], null),
      allowed: [
        ['0', null],
        ['1', 1],
        ['1800', 1800],
      ],
    },
    startRecordingAudio: announced('recording.startSound.url'),
    startRecordingAudioMethod: announcedMethod('recording.startSound.method', 'startRecordingAudio'),
    stopRecordingAudio: announced('recording.stopSound.url'),
    stopRecordingAudioMethod: announcedMethod('recording.stopSound.method', 'stopRecordingAudio'),
    transcript: { allowed: ['true'], refused: ['1'], warning: /JACKFIELD_SPEECH_ENGINE/ },
    transcriptionUrl: {
      allowed: ['https://a.example'],
      refused: badUrls,
      warning: /JACKFIELD_SPEECH_ENGINE/,
    },
    transcriptionMethod: callbackMethod(),
    transcriptionLanguage: { allowed: ['de'], refused: [''] },
    transcriptionRedact: { allowed: ['digits'], refused: ['all'] },
    waitMusicUrl: announced('music.wait.url'),
    waitMusicMethod: announcedMethod('music.wait.method', 'waitMusicUrl'),
    agentHoldMusicUrl: announced('music.agentHold.url'),
    agentHoldMusicMethod: announcedMethod('music.agentHold.method', 'agentHoldMusicUrl'),
    customerHoldMusicUrl: announced('music.customerHold.url'),
    customerHoldMusicMethod: announcedMethod('music.customerHold.method', 'customerHoldMusicUrl'),
    statusCallbackUrl: {
      sets: 'statusCallback.url',
      byDefault: undefined,
      allowed: [['https://a.example', 'https://a.example']],
      refused: badUrls,
    },
    statusCallbackMethod: callbackMethod('statusCallback.method', statusCallback),
    statusCallbackEvents: {
      sets: 'statusCallback.events',
      byDefault: undefined,
      beside: statusCallback,
      allowed: [
        ['mpc-state-changes, participant-speak-events', 'mpc-state-changes,participant-speak-events'],
      ],
      refused: ['', 'all', 'mpc-state-changes,'],
    },
    recordingCallbackUrl: callbackUrl('recordingCallback'),
    recordingCallbackMethod: callbackMethod(
      'recordingCallback.method',
      'recordingCallbackUrl="https://a.example"',
    ),
    mute: flag('mute', false),
    hold: flag('hold', false),
    coachMode: flag('coachMode', true),
    stayAlone: flag('stayAlone', false),
    startMpcOnEnter: flag('startMpcOnEnter', true),
    endMpcOnExit: flag('endMpcOnExit', false),
    enterSound: sound('enterSound', 'beep:1'),
    enterSoundMethod: callbackMethod(),
    exitSound: sound('exitSound', 'beep:2'),
    exitSoundMethod: callbackMethod(),
    onExitActionUrl: actionUrl('onExitAction'),
    onExitActionMethod: actionMethod('onExitAction.method', 'onExitActionUrl="https://a.example"'),
    relayDTMFInputs: flag('relayDtmfInputs', false),
    aiAgentStreamServiceUrl: ofAiAgents,
    aiAgentStreamContentType: ofAiAgents,
    aiAgentStreamSamplingRate: ofAiAgents,
    aiAgentStreamExtraHeaders: ofAiAgents,
    aiAgentStreamStatusCallbackUrl: ofAiAgents,
    aiAgentStreamStatusCallbackMethod: ofAiAgents,
  },
});
