import { randomBytes } from 'node:crypto'
import type { Keyring, Manifest } from '../contract/account/documents.ts'
import { stepUpApi } from '../contract/account/stepup.ts'
import { roomsApi } from '../contract/chat/rooms.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { type Browser, newBrowser } from '../server/testing/browser.ts'
import { creation } from '../server/testing/group.ts'
import { newDeviceId, signedKeys, type TestIdentity } from '../server/testing/keys.ts'
import { newPerson, type Person } from '../server/testing/person.ts'
import { withClient } from './ground.ts'
import { givePlan, seedRoomsOf } from './seed.ts'

/** Who the dearest requests are made by, and about. */
/** Makes the request anew for each round: many are accepted once. */
export type Request = (scene: Scene) => Promise<{ who: Browser; input: Record<string, unknown> }>

export interface Scene {
  /** Has as much of everything as an account may have. */
  alice: Person
  /** Alice's room of the longest messages. */
  longRoom: { chatRoomId: string; groupId: string }
  /** Share a room; both have as many devices as an account may have. */
  bob: Person
  carol: Person
  sharedRoom: string
  /** The first group of that room. */
  sharedGroup: string
  /** Somebody without an account. */
  stranger(): Browser
  /** Somebody new, with keys. */
  newcomer(): Promise<Person>
  /** Makes that account an administrator. */
  promote(userId: string): Promise<void>
  /** Gives that account a plan with a family circle. */
  giveFamily(userId: string): Promise<void>
  /** Gives that account the longest documents that the server takes. */
  grow(person: Person): Promise<void>
  /** Version of the newest book of that account. The server is not asked: it would clean up after a read of megabytes while it is measured. */
  bookVersionOf(person: Person): Promise<number>
  /** Fills both slots of Alice's epochs in the long room. Switching her history off empties them. */
  fillArchive(): Promise<void>
}

/** The request of one of them, with an input that fits the scene. */
export const by =
  (pick: (scene: Scene) => Browser, input: (scene: Scene) => Record<string, unknown> = () => ({})): Request =>
  async (scene) => ({ who: pick(scene), input: input(scene) })
export const alice = ({ alice }: Scene) => alice
export const stranger = ({ stranger }: Scene) => stranger()

/** Confirms as a person does before a call of assurance `recent` or a first chat password. */
export const confirms = (who: Person) => who.does(stepUpApi.confirm, { password: who.authSecret, kdf: 1 })

/** The keyring has room for one more. */
const WAYS = 15
export const HISTORY_KEY_ID = LIMITS.historySealsPerDevice
const LISTED_TRANSFERS = 1000
const REMOVED = LIMITS.devicesRemovedMax - LIMITS.devicesMax

export const base64 = (bytes: number): string => randomBytes(bytes).toString('base64')

/** Everything that an account may have, or a fiftieth of it where it need not be a figure. */
export async function makeScene(databaseUrl: string, url: string, isQuick: boolean): Promise<Scene> {
  const sql = (text: string, values: unknown[]) =>
    withClient(databaseUrl, async (client) => void (await client.query(text, values)))
  let count = 0
  const newcomer = async () => {
    count += 1
    const person = await newPerson(url, `person_${count}`, url)
    await givePlan(databaseUrl, person.id, 'premium')
    return person
  }
  const grow = async (person: Person) => {
    person.identity = greatest(person.identity)
    const { keyring, manifest } = signedKeys(person.identity, person.deviceId)
    await sql('update keyrings set content = $1, signature = $2 where user_id = $3', [
      keyring.content,
      keyring.signature,
      person.id,
    ])
    await sql('update manifests set content = $1, signature = $2 where user_id = $3', [
      manifest.content,
      manifest.signature,
      person.id,
    ])
  }
  const bookVersionOf = ({ id }: Person) =>
    withClient(databaseUrl, async (client) => {
      const { rows } = await client.query<{ version: number }>(
        'select max(version)::int as version from books where user_id = $1',
        [id],
      )
      return rows[0]?.version ?? 0
    })
  const [alice, bob, carol] = [await newcomer(), await newcomer(), await newcomer()]
  for (const person of [alice, bob, carol]) {
    await grow(person)
    for (let at = 1; at < (isQuick ? 3 : LIMITS.devicesMax); at++) await person.addsBrowser()
  }
  const size = isQuick ? { contacts: 100, messages: 300, bytes: LIMITS.contentBytes } : MOST
  const { chatRoomId, groupId } = await seedRoomsOf(databaseUrl, { id: alice.id, cookie: alice.cookie ?? '' }, size)
  await sql(
    `insert into history_seals (user_id, device_id, history_key_id, sealed)
     select $1, $2, id, $3 from generate_series(1, $4::int) id`,
    [alice.id, alice.deviceId, base64(2048), LIMITS.historySealsPerDevice],
  )
  const fillArchive = () =>
    sql(
      `insert into archive_keys (room, group_id, epoch, user_id, history_key_id, sealed_by, sealed)
       select (select number from chat_rooms where id = $1), $2, epoch, $3, key, slot, $4
       from generate_series(1, $5::int) epoch, generate_series(1, $6::int) key, unnest(array['committer', 'own_device']) slot
       on conflict do nothing`,
      [chatRoomId, groupId, alice.id, base64(2048), LIMITS.archiveKeysAtOnce, LIMITS.archiveKeysPerSlot],
    )
  await sql('insert into room_groups (chat_room_id, group_info, welcome, welcome_seq, welcome_epoch) values ($1, $2, $2, 1, 1)', [
    chatRoomId,
    base64(256 * 1024),
  ])
  await sql(
    `insert into transfers (id, sender_id, receiver_id, sender_device, bytes, created_at, ended_at, end_reason)
     select gen_random_uuid(), $1, $2, $3, 1048576, now(), now(), 'cancelled' from generate_series(1, $4::int)`,
    [alice.id, bob.id, alice.deviceId, LISTED_TRANSFERS],
  )
  const sharedRoom = await bob.talksTo(carol)
  const first = creation(sharedRoom)
  await bob.does(roomsApi.commit, { ...first, manifestVersions: versionsOf(bob, carol) })
  return {
    alice,
    longRoom: { chatRoomId, groupId },
    bob,
    carol,
    sharedRoom,
    sharedGroup: first.groupId,
    stranger: () => newBrowser(url),
    newcomer,
    giveFamily: (userId) => givePlan(databaseUrl, userId, 'master'),
    promote: (userId) => sql('update users set is_admin = true where id = $1', [userId]),
    grow,
    bookVersionOf,
    fillArchive,
  }
}

// Somebody more can still be added.
const MOST = { contacts: LIMITS.contactsMax - 100, messages: 1000, bytes: LIMITS.contentBytes }

/** The identity with documents that are as long, and have as many members, as the server takes. */
export const greatest = (identity: TestIdentity): TestIdentity => ({
  ...identity,
  keyring: longest(identity.keyring),
  manifest: fullest(identity.manifest),
})

function longest(keyring: Keyring): Keyring {
  const more = Array.from({ length: Math.max(0, WAYS - keyring.ways.length) }, () => ({
    ...{ id: `passkey:${randomBytes(290).toString('base64url')}`, kind: 'passkey' },
    ...{ publicKey: base64(1216), sealedKey: base64(2048) },
  }))
  return { ...keyring, sealed: base64(64 * 1024), ways: [...keyring.ways, ...more] }
}

function fullest(manifest: Manifest): Manifest {
  if (manifest.removed.length > 0) return manifest
  const removed = Array.from({ length: REMOVED }, newDeviceId)
  // Fields of a newer build are kept, so they can be many.
  return {
    ...manifest,
    historyKeyId: HISTORY_KEY_ID,
    removed,
    removedAt: Object.fromEntries(removed.map((id) => [id, 1])),
    later: Array.from({ length: 1700 }, () => 0),
  }
}

/** What a commit in a room of these people must know. */
export const versionsOf = (...people: Person[]): Record<string, number> =>
  Object.fromEntries(people.map(({ id, identity }) => [id, identity.manifest.version]))
