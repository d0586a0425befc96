import type { Test } from './claim.ts'

// Tests and screens that several claims name.

export const CANARY: Test = {
  file: 'e2e/canary.test.ts',
  title: 'After a conversation no word of it and no password lies in the database, the log, or the browsers’ storage',
}
export const ONCE: Test = {
  file: 'client/worker/group/mls.test.ts',
  title: 'A message shows who sent it, and does not open twice or for its own sender',
}
export const INGRESS: Test = {
  file: 'server/ground/realtime/gateway.test.ts',
  title: 'the first frame is hello: who one is, the contract, the time, and that it is not Tor',
}
export const CODE_LIFE: Test = {
  file: 'server/chat/contacts/codes.test.ts',
  title: 'without a code there is none, and a new one lives six minutes by the time of the server',
}
export const KEM: Test = {
  file: 'client/worker/primitives/xwing.test.ts',
  title: 'the same keys from the same seed, and the same secret at both ends, whoever sealed',
}
export const SIGN_IN = 'client/me/signin/AuthFrame.tsx'
export const WELCOME = 'client/app/Welcome.tsx'
