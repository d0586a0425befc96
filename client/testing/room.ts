import { randomUUID } from 'node:crypto'
import type { Statement } from '../../contract/chat/content.ts'
import { messagesApi } from '../../contract/chat/messages.ts'
import { directRoomId, notesRoomId } from '../../contract/ground/shapes.ts'
import { accountStore } from '../me/account/accountState.ts'
import { changeKeys } from '../me/account/keys.ts'
import { roomOfRow } from '../rooms/list/listedRoom.ts'
import { openLive } from '../worker/account/openAccount.ts'
import { createCore } from '../worker/core.ts'
import type { KeyChangeRequest } from '../worker/crypto.ts'
import { type OpenRoom, storeRoom, withRoom } from '../worker/group/roomState.ts'
import { type Live, leafDevice } from '../worker/keys/live.ts'
import { sealMessage } from '../worker/messages/sealedMessage.ts'
import { browserWith, readDisk } from './disk.ts'
import { at, newPerson, passwordOf, personAt, signPageIn, type TestPerson } from './people.ts'
import { profileCopy } from './profile.ts'
import { createWire, type Wire } from './wire.ts'

interface Newcomer {
  person: TestPerson
  account: Wire['accounts'] extends Map<string, infer Account> ? Account : never
  restore: () => Promise<void>
}

let newcomers: Promise<Newcomer[]> | undefined

/**
 * Three people right after they signed up. Created once per file and then restored, because Argon2id and key generation are slow.
 */
export async function people(
  options: Parameters<typeof createWire>[0] = {},
): Promise<{ wire: Wire; alice: TestPerson; bob: TestPerson; eve: TestPerson; roomId: string }> {
  newcomers ??= signUp()
  const wire = createWire(options)
  const fresh: TestPerson[] = []
  for (const { person, account, restore } of await newcomers) {
    await restore()
    wire.accounts.set(person.userId, structuredClone(account))
    fresh.push(await person.newTab(wire))
  }
  const [alice, bob, eve] = fresh
  if (!alice || !bob || !eve) throw new Error('Somebody is missing')
  return { wire, alice, bob, eve, roomId: directRoomId(alice.userId, bob.userId) }
}

async function signUp(): Promise<Newcomer[]> {
  const wire = createWire()
  const made: Newcomer[] = []
  for (let count = 0; count < 3; count++) {
    const person = await newPerson(wire)
    const account = wire.accounts.get(person.userId)
    if (!account) throw new Error('The account is not on the wire')
    made.push({ person, account, restore: await profileCopy(person.userId) })
  }
  return made
}

/** What a modified client can use: this browser's vault and the state of a room in it. */
export async function patchedClient(me: TestPerson, other: { userId: string }) {
  const live = await openLive(me.userId, me.unlock)
  const { chatRoomId } = me.contact(other)
  const inRoom = <T>(work: (room: OpenRoom) => Promise<T>): Promise<T> => withRoom(live, chatRoomId, [other.userId], work)
  return {
    live,
    inRoom,
    /** Seals a statement with any content as this device. `author` signs the statement. */
    seals: (change: Partial<Statement> = {}, author: Live = live): Promise<{ id: string; content: string }> =>
      inRoom(async ({ group, record }) => {
        if (!group || !record) throw new Error('This browser is not in the room')
        const statement: Statement = {
          id: randomUUID(),
          chatRoomId,
          sentAt: new Date().toISOString(),
          content: { type: 'text', text: 'sealed by a patched client' },
          replyToId: null,
          manifests: {},
          seen: { seq: record.cursor, hash: '' },
          ...change,
        }
        const sealed = await sealMessage(group, leafDevice(author), statement)
        await storeRoom(live, chatRoomId, { record, group: sealed.group })
        return { id: statement.id, content: sealed.content }
      }),
    posts: (id: string, content: string) => me.env.api(messagesApi.send, { id, chatRoomId, content, messageType: 'text' }),
  }
}

/** Copies the browser's profile to another computer. */
export async function clone({ userId, username, unlock, computer }: TestPerson, wire: Wire): Promise<TestPerson> {
  const copied = await browserWith(await readDisk(computer))
  const core = createCore()
  await at(copied, () => core.open({ userId, username, unlock }))
  return personAt(wire, { userId, username, core, unlock, computer: copied })
}

/** Counts the requests to each path. */
export function counting(person: TestPerson): Map<string, number> {
  const counts = new Map<string, number>()
  const { api } = person.env
  person.env.api = ((endpoint, input) => {
    counts.set(endpoint.path, (counts.get(endpoint.path) ?? 0) + 1)
    return api(endpoint, input)
  }) as typeof api
  return counts
}

/** Changes the keys of a person's account in this browser, by the password. */
export async function changesKeys(person: TestPerson, request: KeyChangeRequest): Promise<void> {
  const page = accountStore.getState()
  await signPageIn(person)
  try {
    await changeKeys(person.env, { kind: 'password', password: passwordOf(person.username) }, request)
  } finally {
    accountStore.setState(page)
  }
}

/** The row of a person's notes. */
export const notesOf = ({ userId }: TestPerson, lastSeq = 0) =>
  roomOfRow(userId, {
    ...{ chatRoomId: notesRoomId(userId), addedAt: new Date().toISOString(), people: [], direct: null, lastSeq, clearedSeq: 0 },
    ...{ isPasswordProtected: false, isLocked: false, lastMessageAt: null, lastMessage: null, unreadCount: 0, mutedUntil: null },
    readSeq: 0,
  }).room
