import type { Claim } from './claim.ts'
import {
  ASKS_FIRST,
  BY_LISTENER,
  BY_ONION,
  CANARY,
  CODE_LIFE,
  INGRESS,
  KEM,
  measured,
  ONCE,
  ONLY_ONION,
  SIGN_IN,
  STILL_SEEN,
  WELCOME,
} from './evidence.ts'

/** What the product claims of its encryption, its ways and its sign-in. */
export const HOW_IT_WORKS: readonly Claim[] = [
  {
    id: 'zero-knowledge',
    text: 'Zero-knowledge architecture',
    caption: 'For what you write. Who writes to whom, and when, the server does know.',
    story:
      'Messages, files, drafts, the names that you give people and the names of your devices are sealed before they leave the browser. Your password stays there too: the server gets a proof of it that opens nothing.',
    tests: [
      CANARY,
      {
        file: 'e2e/files.test.ts',
        title:
          'Alice sends Bob a document with a caption: he saves it under its name, as it was, and the server has no word of it',
      },
      {
        file: 'client/worker/keys/password.test.ts',
        title: 'What the server sees of a password says nothing of the seed that opens the keyring',
      },
    ],
    limit:
      'The server sees accounts, contacts, times, padded sizes, who is online and network addresses. A photo, a display name, an email and what you report are not sealed.',
    measures: ['padding', 'account'],
    figure: {
      value: 0,
      unit: 'words',
      says: 'of your messages are known to the server. It sees who, when and how large.',
      test: measured('No word of a text stands in what the server is handed'),
    },
    shown: [
      { file: SIGN_IN, words: 'Your keys are made on this device. The server keeps them sealed under your password.' },
      { file: WELCOME, words: 'AES-256-GCM, before anything is sent; the server holds no key to it.' },
    ],
  },
  {
    id: 'device-to-device',
    text: 'Direct device-to-device messaging',
    caption: 'Calls and direct file transfer; messages wait sealed on the server.',
    story:
      'A call goes from browser to browser, sealed by keys that the server never has, and four words tell both that nobody stands between. What must arrive while the other side is away cannot go from device to device alone. A message waits on the server until it is fetched, and nobody there can open it.',
    tests: [
      {
        file: 'e2e/chat.test.ts',
        title: 'Bob is away for sixty messages and a change of keys, and reads all of them when he comes back',
      },
      {
        file: 'e2e/calls.test.ts',
        title:
          'Alice calls Bob by video, who pays nothing: both see each other and the same four words, and what each switches on and off; the call stands in the chat',
      },
      {
        file: 'e2e/calllies.test.ts',
        title:
          'A server that changes a ring, an answer or a sealed description, or sends those of an earlier call, connects nothing, and the call ends by name',
      },
    ],
    limit:
      'A call goes straight from browser to browser or, where an address is hidden, through the operator’s relay, which sees addresses and times and hears nothing. A file of up to 100 MB goes the same way while both browsers are open. Messages, and files that are sent as usual, pass through the server, sealed.',
    measures: [],
    shown: [],
  },
  {
    id: 'onion-routing',
    text: 'Onion routing',
    caption: 'Where your operator runs the onion service. Elsewhere the status reads “not via Tor”.',
    story:
      'Over Tor the server learns no network address of yours, and the network between learns neither where you are nor whom you reach. Conclave says “Connected via Tor” only where the connection itself came in that way, and by an onion address its pages contact nothing else unless you say so.',
    tests: [
      INGRESS,
      BY_LISTENER,
      BY_ONION,
      ONLY_ONION,
      {
        file: 'server/identity/sessions/listSessions.test.ts',
        title: 'whether a session came by the onion service is decided by the listener, whatever a header claims',
      },
      ASKS_FIRST,
      {
        file: 'client/app/onionOrigin.test.tsx',
        title: 'What pages, styles and manifest load by themselves is of this very server',
      },
    ],
    limit: `${STILL_SEEN} Who watches your network sees that you use Tor, how much and when. Tor Browser’s level “Safest” runs no scripts, so Conclave does not work there at all.`,
    measures: ['route'],
    shown: [],
  },
  {
    id: 'forward-secrecy',
    text: 'Forward secrecy',
    caption: 'Text that is kept, on a device or as history for your next browser, is as safe as what opens it.',
    story:
      'Keys move on as you talk. A key that is lost tomorrow does not open what passed today, and who has copied a browser is shut out again by the next change of keys.',
    tests: [
      ONCE,
      {
        file: 'client/worker/group/attacks.test.ts',
        title: 'The library, told to keep 0 epochs, keeps all of them: ours keeps none',
      },
      {
        file: 'client/rooms/log/healRooms.test.ts',
        title:
          'Eve has copied Alice’s browser, and Bob renews his keys every day: Alice’s next message shuts her out all the same',
      },
    ],
    limit:
      'Whoever holds the history key of your account opens what is stored for your next browser. An account that keeps no history has none of it.',
    measures: ['once'],
    figure: {
      value: 1,
      unit: 'key',
      says: 'for one message, used once. Text that is kept is as safe as what opens it.',
      test: measured('The key of a message opens it once'),
    },
    shown: ['landing', { file: WELCOME, words: 'Every message has a key of its own, used once.' }],
  },
  {
    id: 'layered-encryption',
    text: 'Layered encryption',
    caption: 'Three layers: the message, the conversation, the connection.',
    story:
      'A message is sealed under a key of its own. That key is sealed by the keys of the conversation (MLS), and tied to the text so that neither can be exchanged. Around both lies the connection: TLS, or Tor.',
    tests: [
      {
        file: 'client/worker/messages/sealedMessage.test.ts',
        title: 'An envelope whose parts are of two messages, or say another place, opens neither way',
      },
      { file: 'client/worker/primitives/seal.test.ts', title: 'Eve moves, relabels, cuts and changes it, and it does not open' },
    ],
    limit: 'The outermost layer is the operator’s: a server that is reached without https or Tor has two.',
    measures: ['suite', 'tampering', 'route'],
    shown: [],
  },
  {
    id: 'quantum-resistance',
    text: 'Quantum resistance',
    caption: 'For what you write: X25519 together with ML-KEM-768. Signatures are classical.',
    story:
      'Who records envelopes today, to open them with a quantum computer later, needs to break both key agreements at once (X-Wing).',
    tests: [KEM, { file: 'client/worker/group/mls.test.ts', title: 'Alice and Bob read each other on every device' }],
    limit: 'Signatures are Ed25519: a quantum computer of the future could write in your name then, not read what you wrote now.',
    measures: ['suite'],
    figure: {
      value: 1216,
      unit: 'bytes',
      says: 'of public key: X25519 together with ML-KEM-768, and both must fall. Signatures are classical.',
      test: measured('The public key of a device has both parts, whole'),
    },
    shown: [{ file: WELCOME, words: 'X25519 together with ML-KEM-768. Signatures are classical: Ed25519.' }],
  },
  {
    id: 'three-factor-login',
    text: 'Three-factor login',
    caption: 'Password, biometric, hardware token: where you switch it on, a passkey is asked for beside the password.',
    story:
      'The passkey is proven by the sensor of your device or lies on a hardware key, and the server checks it as part of the sign-in. Where its device can, it also opens your keys, and signs in alone.',
    tests: [
      {
        file: 'server/account/account/passkeys.test.ts',
        title: 'Alice’s password alone gives no session: it takes the password and her passkey together',
      },
      { file: 'server/account/account/passkeys.test.ts', title: 'the passkey of another page, account or person opens nothing' },
      {
        file: 'e2e/passkeys.test.ts',
        title: 'Alice’s password waits for her passkey, which alone opens a new browser; another authenticator opens nothing',
      },
    ],
    limit:
      'It is your choice, under Profile Settings, Security, and off at first. Your finger and your face never leave your device: Conclave sees a signature.',
    measures: ['account'],
    shown: [],
  },
  {
    id: 'contact-codes',
    text: 'Time-limited contact QR codes',
    caption: 'Six minutes, by the server’s clock.',
    story:
      'A code on your screen adds you while it lives, and carries your key, so that who scans it has verified you. A new one ends the one before.',
    tests: [
      CODE_LIFE,
      {
        file: 'server/chat/contacts/codes.test.ts',
        title: 'a code says why it does not work: unknown, replaced, expired, used up, or the own one',
      },
      {
        file: 'client/people/contactcodes/contactcodes.test.ts',
        title: 'A server that swaps the key of a scanned code is caught: nobody is added, and the reason is said',
      },
    ],
    measures: [],
    shown: [],
  },
]
