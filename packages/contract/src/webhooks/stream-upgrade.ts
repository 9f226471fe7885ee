/** The request with which the platform opens the WebSocket of a stream: an HTTP upgrade to your server, without parameters. */
export const streamUpgrade = {
  name: 'streamUpgrade',
  summary: 'A stream connects to your WebSocket server',
  description:
    'RFC 6455, without subprotocol and without compression; frames follow (docs/guides/streams.md). Sent up to three times, a second apart, and again when a resumable stream was lost.',
  urls: [
    'service_url and fallback_url of a stream',
    'the text of Stream',
    'ai_agent_stream_service_url of a participant',
  ],
  headers: [
    {
      name: 'Signature-V3',
      description:
        'One signature for each form of the URL (wss, https, ws, http), separated by commas: a single match is enough. The key is the auth_token of the account that owns the stream.',
    },
    { name: 'Signature-Ma-V3', description: 'The same, with the auth_token of the main account.' },
    { name: 'Signature-V3-Nonce', description: 'Ends the text that is signed, behind the URL and a dot.' },
  ],
} as const;
