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
export const BY_LISTENER: Test = {
  file: 'server/ground/http/listener.test.ts',
  title: 'hello says by which listener the socket came, whatever the headers claim',
}
export const BY_ONION: Test = {
  file: 'e2e/onion.test.ts',
  title:
    'Alice in Firefox and Bob in Chromium register, talk and share a file over the onion service, and are told that they are there; the same account past Tor is told that it is not',
}
export const ONLY_ONION: Test = {
  file: 'e2e/onion.test.ts',
  title:
    'A browser that came by the onion asks nobody else, looks for no way of a call and sends no datagram: where calls, files, plans and pushes begin, in the settings, and on public pages',
}
export const ASKS_FIRST: Test = {
  file: 'client/app/onionOrigin.test.tsx',
  title: 'A call and a direct transfer are asked about before any server is asked for a way',
}
export const CODE_LIFE: Test = {
  file: 'server/chat/contacts/codes.test.ts',
  title: 'without a code there is none, and a new one lives six minutes by the time of the server',
}
export const KEM: Test = {
  file: 'client/worker/primitives/xwing.test.ts',
  title: 'the same keys from the same seed, and the same secret at both ends, whoever sealed',
}
/** The test of a figure, by its title. */
export const measured = (title: string): Test => ({ file: 'client/site/figures.test.tsx', title })
export const SIGN_IN = 'client/me/signin/AuthFrame.tsx'
export const ACTS = 'client/site/Acts.tsx'
export const WELCOME = 'client/app/Welcome.tsx'

/** What an onion address does not hide. */
export const STILL_SEEN =
  'It hides where you are, not who you are: the server still knows your account and your contacts, who is here at what time, and the times and padded sizes of what passes. There is no push by an onion address, and a call or a direct transfer leaves Tor if you allow it.'
