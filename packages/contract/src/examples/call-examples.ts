import type { RequestExample } from './request-example.ts';

const from = '+12025550000';

/** Of calls, multiparty calls and streams; the numbers are phones of the sandbox. */
export const callExamples: Readonly<Record<string, readonly RequestExample[]>> = {
  createCall: [
    {
      summary: 'Calls a phone that talks',
      value: { from, to: '+12025550101', answer_url: 'https://example.com/answer' },
    },
    {
      summary: 'With callbacks and limits',
      value: {
        from,
        to: '+12025550101',
        answer_url: 'https://example.com/answer',
        ring_url: 'https://example.com/ring',
        hangup_url: 'https://example.com/hangup',
        fallback_url: 'https://example.com/fallback',
        caller_name: 'Example',
        ring_timeout: 30,
        time_limit: 3600,
        sip_headers: 'Ticket=4711,Queue=sales',
      },
    },
    {
      summary: 'Only for people: an answering machine is hung up',
      value: {
        from,
        to: '+12025550101',
        answer_url: 'https://example.com/answer',
        machine_detection: 'hangup',
        machine_detection_time: 4000,
      },
    },
    {
      summary: 'Two destinations, each with a call of its own',
      value: { from, to: '+12025550100<+12025550101', answer_url: 'https://example.com/answer' },
    },
  ],
  transferCall: [
    { summary: 'Other instructions', value: { aleg_url: 'https://example.com/other', aleg_method: 'POST' } },
  ],
  addClientQuality: [
    {
      summary: 'Ten seconds as the page measured them',
      value: {
        samples: [
          {
            packets_received: 500,
            packets_lost: 2,
            packets_sent: 500,
            jitter_ms: 3.1,
            round_trip_ms: 42,
            mos: 4.3,
            codec: 'opus',
            transport: 'udp',
          },
        ],
        warnings: ['high-rtt'],
      },
    },
  ],
  playToCall: [
    { summary: 'One file', value: { urls: 'https://example.com/hello.mp3' } },
    {
      summary: 'Two files for both sides, again and again',
      value: {
        urls: ['https://example.com/one.mp3', 'https://example.com/two.wav'],
        legs: 'both',
        loop: true,
      },
    },
  ],
  speakToCall: [
    { summary: 'A sentence', value: { text: 'Thank you for waiting.', voice: 'WOMAN', language: 'en-US' } },
  ],
  recordCall: [
    {
      summary: 'Two minutes at most',
      value: { time_limit: 120, file_format: 'wav', callback_url: 'https://example.com/recorded' },
    },
  ],
  sendDigits: [{ summary: 'Keys with a pause', value: { digits: '12W34#' } }],
  activateMultipartyCall: [{ summary: 'Starts it', value: { status: 'Active' } }],
  addParticipant: [
    { summary: 'An agent', value: { role: 'agent', from, to: '+12025550101' } },
    {
      summary: 'A customer, recorded, with events of the call',
      value: {
        role: 'customer',
        from,
        to: '+12025550100',
        record: true,
        status_callback_url: 'https://example.com/status',
        recording_callback_url: 'https://example.com/recorded',
      },
    },
    {
      summary: 'A supervisor whom the agent alone hears',
      value: { role: 'supervisor', coach_mode: true, from, to: '+12025550109' },
    },
    {
      summary: 'Your own voice agent',
      value: { role: 'ai-agent', ai_agent_stream_service_url: 'wss://example.com/agent' },
    },
  ],
  updateParticipants: [
    { summary: 'Muted', value: { mute: true } },
    { summary: 'On hold', value: { hold: true } },
    { summary: 'A supervisor whom everybody hears', value: { coach_mode: false } },
  ],
  playToParticipants: [{ summary: 'A file', value: { urls: 'https://example.com/hello.mp3' } }],
  speakToParticipants: [
    {
      summary: 'A sentence, and a callback when it is over',
      value: { text: 'This call is recorded.', callback_url: 'https://example.com/spoken' },
    },
  ],
  recordMultipartyCall: [
    {
      summary: 'To a WAV file',
      value: { file_format: 'wav', recording_callback_url: 'https://example.com/recorded' },
    },
  ],
  recordParticipants: [{ summary: 'The participant alone', value: { record_track_type: 'participant' } }],
  pauseRecordingParticipants: [
    { summary: 'The participant alone', value: { record_track_type: 'participant' } },
  ],
  resumeRecordingParticipants: [
    { summary: 'The participant alone', value: { record_track_type: 'participant' } },
  ],
  startCallStream: [
    {
      summary: 'Your own voice agent',
      value: {
        service_url: 'wss://example.com/agent',
        bidirectional: true,
        content_type: 'audio/x-l16;rate=16000',
      },
    },
    {
      summary: 'Your server listens to both sides',
      value: {
        service_url: 'wss://example.com/listen',
        audio_track: 'both',
        status_callback_url: 'https://example.com/stream',
        extra_headers: 'ticket=4711',
      },
    },
  ],
  startMultipartyCallStream: [
    { summary: 'Your server listens', value: { service_url: 'wss://example.com/listen' } },
    {
      summary: 'Your server speaks to agents alone',
      value: { service_url: 'wss://example.com/agent', bidirectional: true, speak_to: 'agent' },
    },
  ],
};
