/** Identifiers in the examples of the documentation; a client replaces them with its own. */
export const exampleIds = {
  auth_id: 'MA0123456789ABCDEFGH',
  subaccount_id: 'SA0123456789ABCDEFGH',
  app_id: '21686794894743506',
  endpoint_id: '83742911018273',
  call_uuid: '3f6c0d2e-6a0b-4c0e-9c39-0d1f6d7c5f11',
  request_uuid: '5b1f0c0a-7d0c-4c50-8a55-7a5c6f4b8e02',
  mpc: 'name_demo',
  member_id: '17',
  recording_id: '8d0f6f4e-2f5c-4f7c-9b8f-0a4bd6c1a303',
  recording_file: '8d0f6f4e-2f5c-4f7c-9b8f-0a4bd6c1a303.mp3',
  trace_id: '6f718293-a4b5-46c7-88d9-fa0b1c2d3e14',
  stream_id: 'c1a7b5d6-8e09-4d3a-9f10-3b2e4f5a6c04',
  callback_id: 'd4e2c3b1-0f9a-4b8c-8d7e-6f5a4b3c2d05',
  credential_uuid: 'e7a9d8c6-5b4a-4f3e-a2d1-c0b9a8f7e606',
  ipacl_uuid: 'f0b1c2d3-e4f5-4a6b-8c7d-9e0f1a2b3c07',
  uri_uuid: '0a1b2c3d-4e5f-4061-8273-94a5b6c7d808',
  trunk_id: '74839201746538291',
  number: '442079460100',
  session_uuid: '1b2c3d4e-5f60-4172-8384-a5b6c7d8e909',
  app_uuid: '2c3d4e5f-6071-4283-9495-b6c7d8e9fa10',
  sandbox_call_uuid: '4e5f6071-8293-44a5-b6b7-d8e9fa0b1c12',
  session_id: '5f607182-93a4-45b6-a7c8-e9fa0b1c2d13',
  /** The code that came with the message of the session. */
  otp: '493817',
} as const;

export type ExampleId = keyof typeof exampleIds;
