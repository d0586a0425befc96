import { randomBytes } from 'node:crypto'
import { REFUSALS, type RefusalCode } from '../contract/ground/refusals.ts'
import type { Answer, Frame, Lie } from './proxy.ts'

/** Each lie by its name: what a server says instead of the truth. */

const instead = (call: string, alter: (answer: Answer) => Answer): Lie => ({
  answer: (asked, answer) => (asked === call ? alter(answer) : undefined),
})

const withheld = (call: string, answer: Answer): Lie => ({ withholds: (asked) => (asked === call ? answer : undefined) })

type Row = Record<string, unknown>
const fields = (value: unknown): Row => (typeof value === 'object' && value !== null ? { ...value } : {})
const rows = (value: unknown): Row[] => (Array.isArray(value) ? value.map(fields) : [])

/** Whatever is asked of these addresses, a page of the liar's own is the answer, without any policy. */
export const pagesAt = (addresses: readonly string[], html: string): Lie => ({
  ownPage: (call) => (addresses.includes(call.split(' ')[1] ?? '') ? html : undefined),
})

/** With the answer to this call the browser is told to delete what it keeps of this server. */
export const deletesData = (call: string): Lie => ({
  headers: (asked) => (asked === call ? { 'clear-site-data': '"storage"' } : undefined),
})

/** A message is refused for now, with this time to wait. */
export const timeToWait = (retryAfterSeconds: unknown): Lie =>
  withheld('POST /api/messages', {
    status: 429,
    body: { error: 'Too many attempts', code: 'too_many_requests', retryAfterSeconds },
  })

const SCAN = 'POST /api/qr-code/add-contact'

/** A contact code is refused so, as the server does once it has expired. */
export const refusedCode = (code: RefusalCode): Lie =>
  withheld(SCAN, { status: REFUSALS[code].status, body: { error: REFUSALS[code].text, code } })

/** Whoever redeems a contact code is shown this key, base64, as its owner's. */
export const swappedKey = (identityKey: string): Lie =>
  instead(SCAN, ({ status, body }) => {
    const contact = fields(fields(body)['contact'])
    return {
      status,
      body: { ...fields(body), contact: { ...contact, contactUser: { ...fields(contact['contactUser']), identityKey } } },
    }
  })

/** The owner of a contact code is shown this key, base64, of everybody who has used it. */
export const swappedScanner = (identityKey: string): Lie =>
  instead('GET /api/qr-code/uses', ({ status, body }) => ({ status, body: rows(body).map((use) => ({ ...use, identityKey })) }))

/** Adding somebody is refused in so many characters. */
export const longWords = (chars: number): Lie =>
  withheld('POST /api/contacts', { status: 400, body: { error: 'word '.repeat(chars / 5), code: 'invalid_input' } })

/** No message is answered. */
export const silence: Lie = { isSilent: (call) => call === 'POST /api/messages' }

/** The salt of every name has so many bytes. */
export const saltOf = (bytes: number): Lie =>
  withheld('POST /api/login/salt', { status: 200, body: { salt: Buffer.alloc(bytes).toString('base64') } })

/** Every connection begins with another version of the contract. */
export const otherVersion: Lie = {
  frame: (frame) => (frame.type === 'hello' ? { ...frame, data: { ...frame.data, contractVersion: 1_000_000 } } : frame),
}

/** Every live message has these words, which no device has sealed. */
export const madeUp = (content: string): Lie => ({
  frame: (frame) => (frame.type === 'message' ? { ...frame, data: { ...frame.data, content, isEncrypted: false } } : frame),
})

/** Whoever asks is told to be somebody else. */
export const somebodyElse: Lie = instead('GET /api/user', ({ status, body }) => ({
  status,
  body: { ...fields(body), id: crypto.randomUUID(), username: 'somebody_else' },
}))

/** The other person of a direct room's row. */
const personIn = (row: Record<string, unknown>) => fields(rows(row['people'])[0])

/** The row of one contact is hidden, and another has that one's names. */
export const swappedNames = (hidden: string, shown: string): Lie =>
  instead('GET /api/rooms', ({ status, body }) => {
    const listed = rows(fields(body)['rooms']).map((row) => ({ row, person: personIn(row) }))
    const { displayName } = listed.find(({ person }) => person['username'] === hidden)?.person ?? {}
    return {
      status,
      body: {
        ...fields(body),
        rooms: listed
          .filter(({ person }) => person['username'] !== hidden)
          .map(({ row, person }) =>
            person['username'] === shown
              ? { ...row, people: [{ ...person, username: hidden, displayName: displayName ?? person['displayName'] }] }
              : row,
          ),
      },
    }
  })

/** The row of one contact is hidden. */
export const withoutContact = (hidden: string): Lie =>
  instead('GET /api/rooms', ({ status, body }) => {
    const shown = rows(fields(body)['rooms']).filter((row) => personIn(row)['username'] !== hidden)
    return { status, body: { ...fields(body), rooms: shown } }
  })

/** Whoever asks for this account's device list gets another one, which the account's key has signed. */
export const otherList = (userId: string, manifest: unknown): Lie =>
  instead(`GET /api/users/${userId}/manifest`, ({ status, body }) => ({ status, body: { ...fields(body), manifest } }))

/** Somebody as a liar shows them: another key, base64, and a device list that it has signed in their name. */
interface Pretended {
  userId: string
  realKey: string
  falseKey: string
  manifest: unknown
}

/** One contact has another key everywhere, and no address book of whoever is told so is kept. */
export function otherKey({ userId, realKey, falseKey, manifest }: Pretended): Lie {
  const pretended = (said: unknown) => JSON.parse(JSON.stringify(said).replaceAll(realKey, falseKey))
  const busy = { status: 503, body: { error: REFUSALS.unavailable.text, code: 'unavailable' } }
  return {
    withholds: (call) => (call === 'PUT /api/book' ? busy : undefined),
    answer: (call, { status, body }) =>
      call === `GET /api/users/${userId}/manifest`
        ? { status, body: { ...fields(body), identityKey: falseKey, manifest } }
        : { status, body: pretended(body) },
    frame: (frame) => pretended(frame),
  }
}

/** Each book that this device wrote has other bytes, and no further book is named. */
export const rubbishBook = (deviceId: unknown): Lie =>
  instead('GET /api/book', ({ status, body }) => {
    const book = fields(body)
    const sealed = Buffer.alloc(300, 7).toString('base64')
    return { status, body: book['deviceId'] === deviceId ? { ...book, sealed, others: [] } : book }
  })

/** What changes of the own devices is hidden: this stays the answer, and no frame says that there is another. */
export const hiddenDevice = (keys: unknown): Lie => ({
  answer: (call, { status }) => (call === 'GET /api/account/keys' ? { status, body: keys } : undefined),
  frame: (frame) => (frame.type === 'devices' || frame.type === 'contacts' ? undefined : frame),
})

/** No chat has a password, and none is locked. */
export const noChatPassword: Lie = instead('GET /api/rooms', ({ status, body }) => ({
  status,
  body: {
    ...fields(body),
    rooms: rows(fields(body)['rooms']).map((row) => ({ ...row, isPasswordProtected: false, isLocked: false })),
  },
}))

/** Frames of calls to this person are changed on their way; undefined: this one does not come. */
const ofCalls = (types: readonly string[], alter: (frame: Frame) => Frame | undefined): Lie => ({
  frame: (frame) => (types.includes(frame.type) ? alter(frame) : frame),
})
const SEALED = ['call-signal', 'ice-candidate']
const withData = ({ type, data }: Frame, changed: Row): Frame => ({ type, data: { ...data, ...changed } })

/** Base64 with another last byte but one, so that its length and form stay. */
function flipped(text: unknown): string {
  const bytes = Buffer.from(String(text), 'base64')
  const at = bytes.length - 2
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return bytes.toString('base64')
}

/** What is sealed of a call has one other bit: the description with its fingerprint, or the candidates. */
export const alteredSignals: Lie = ofCalls(['call-signal'], (frame) => withData(frame, { signal: flipped(frame.data['signal']) }))
/** A ring commits to another nonce or certificate than the caller's. */
export const otherCommit: Lie = ofCalls(['call-offer'], (frame) =>
  withData(frame, { signal: randomBytes(32).toString('base64') }),
)
/** An answer has another nonce or binds another certificate than the callee's. */
export const otherAnswer: Lie = ofCalls(['call-answer'], (frame) => withData(frame, { signal: flipped(frame.data['signal']) }))
/** What is sealed comes in another person's name. */
export const otherSender = (from: string): Lie => ofCalls(SEALED, (frame) => withData(frame, { from }))
/** What is sealed comes as of another call. */
export const otherCallId: Lie = ofCalls(SEALED, (frame) => withData(frame, { callId: crypto.randomUUID() }))
/** Somebody else rings than who does. */
export const otherCaller = (from: string): Lie => ofCalls(['call-offer'], (frame) => withData(frame, { from }))
/** No Accept comes. */
export const withheldAnswers: Lie = ofCalls(['call-answer'], () => undefined)
/** Instead of what a call seals comes what an earlier one has, under the new call's id. */
export const replayed = (earlier: readonly Frame[]): Lie =>
  ofCalls(['call-offer', 'call-answer', 'call-signal'], (frame) => {
    const old = earlier.find(({ type }) => type === frame.type)
    return old ? withData(old, { callId: frame.data['callId'], attempt: frame.data['attempt'] }) : frame
  })
/** Nothing is changed, and every frame of calls is noted here. */
export const notesCalls = (heard: Frame[]): Lie => ({
  frame(frame) {
    if (/^(call-|ice-)/.test(frame.type)) heard.push(frame)
    return frame
  },
})

/** The commitment with which a file is accepted is another. */
export const otherAccept: Lie = ofCalls(['transfer-accept'], (frame) =>
  withData(frame, { signal: randomBytes(32).toString('base64') }),
)
export const otherTransferAnswer: Lie = ofCalls(['transfer-answer'], (frame) =>
  withData(frame, { signal: flipped(frame.data['signal']) }),
)
export const alteredTransferSignals: Lie = ofCalls(['transfer-signal'], (frame) =>
  withData(frame, { signal: flipped(frame.data['signal']) }),
)
/** Another device accepts a file, or answers for it, than the server says. */
export const otherTransferDevice = (type: 'transfer-accept' | 'transfer-answer', device: string): Lie =>
  ofCalls([type], (frame) => withData(frame, { device }))
