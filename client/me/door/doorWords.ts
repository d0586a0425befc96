export const TITLE = 'This room opens from Tor alone.'

export const WHY =
  'Whoever runs this server lets nobody in by this address, so that neither the server nor a network on the way learns where its people are. The pages that can be read without an account are open.'

export const NO_ADDRESS = 'Ask whoever runs this server for its onion address: it is not named here.'

export const STEPS = [
  { act: 'Open the address there.', more: 'It is the same server, and the same account.' },
  {
    act: 'Sign in anew,',
    more: 'by password or recovery kit. Passkeys, and the sign-in that this browser keeps, belong to this address and do not work at the other one: make a passkey there.',
  },
]

export const KEPT =
  'Nothing of yours is lost. What this browser holds, with what you typed and what was not sent yet, stays in it, sealed, for the day on which this address lets you in again. By the onion address you come as another browser, which fetches your history.'
