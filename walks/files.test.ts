import { randomBytes, randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { contactsApi } from '../contract/chat/contacts.ts'
import { filesApi, uploaderApi } from '../contract/chat/files.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import { objectIdOf, paddedBytes } from '../contract/chat/objects.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import type { Person } from '../server/testing/person.ts'
import { fileOf, idOf, pathOf, puts, reads } from '../server/testing/sealed.ts'
import { type World as Server, startWorld } from '../server/testing/world.ts'
import { type Doer, type Verb, walk } from './walk.ts'

const { WALK_STEPS, WALK_SEED } = process.env
/** `npm run test:walks` takes many steps with a new seed each time; `npm test` takes few with a fixed seed. */
const STEPS = Number(WALK_STEPS ?? 50)
const SEED = Number(WALK_SEED ?? (WALK_STEPS ? randomInt(2 ** 31) : 1))

/** What the walk knows of a file by the answers that it got. */
interface File {
  owner: Person
  url: string
  bytes: Buffer | undefined
  isRemoved: boolean
  sent: { room: Room; seq: number } | undefined
}

interface Room {
  id: string
  members: Person[]
  /** Up to where each has cleared it, by their ids. */
  cleared: Map<string, number>
}

interface Tab extends Doer {
  who: Person
}

interface World {
  server: Server
  tabs: Tab[]
  clock: Doer
  rooms: Room[]
  files: File[]
}

const isFree = ({ bytes, isRemoved, sent }: File) => bytes !== undefined && !isRemoved && !sent
const ofTabs = (
  { tabs }: World,
  does: (tab: Tab, dice: Parameters<ReturnType<Verb<World>['now']>[number]['does']>[0]) => Promise<void>,
) => tabs.map((tab) => ({ busy: [tab] as [Doer], does: (dice: Parameters<typeof does>[1]) => does(tab, dice) }))

const VERBS: Record<string, Verb<World>> = {
  begins: {
    weight: 3,
    now: (world) =>
      ofTabs(world, async ({ who }) => {
        const { url } = await who.does(uploaderApi.params, {})
        world.files.push({ owner: who, url, bytes: undefined, isRemoved: false, sent: undefined })
      }),
  },
  'sends bytes': {
    weight: 6,
    now: (world) =>
      ofTabs(world, async ({ who }, dice) => {
        const own = world.files.filter(({ owner, isRemoved }) => owner === who && !isRemoved)
        if (own.length === 0) return
        const file = dice.pick(own)
        const bytes = randomBytes(paddedBytes(1 + dice.below(60_000)))
        const { status } = await puts(who, file.url, bytes)
        // Expired, taken already, or gone meanwhile.
        expect([200, 403, 404, 409]).toContain(status)
        if (status === 200) {
          expect(file.bytes).toBeUndefined()
          file.bytes = bytes
        }
      }),
  },
  'sends a message': {
    weight: 6,
    now: (world) =>
      ofTabs(world, async ({ who }, dice) => {
        const own = world.files.filter((file) => file.owner === who && isFree(file))
        if (own.length === 0) return
        const [file, room] = [dice.pick(own), dice.pick(world.rooms.filter(({ members }) => members.includes(who)))]
        const { status, body } = await who.posts(room.id, 'a file', fileOf(pathOf(file.url), file.bytes?.length ?? 0))
        expect([200, 400]).toContain(status)
        if (status !== 200) return
        expect(file.sent).toBeUndefined()
        file.sent = { room, seq: messagesApi.send.output.parse(body).seq }
      }),
  },
  'takes a foreign file': {
    weight: 2,
    now: (world) =>
      ofTabs(world, async ({ who }, dice) => {
        const foreign = world.files.filter(({ owner }) => owner !== who)
        if (foreign.length === 0) return
        const { url, bytes } = dice.pick(foreign)
        const room = dice.pick(world.rooms.filter(({ members }) => members.includes(who)))
        expect((await puts(who, url, randomBytes(4096))).status).toBe(404)
        expect((await who.posts(room.id, 'mine', fileOf(pathOf(url), bytes?.length ?? 4096))).status).toBe(400)
        expect((await who.tries(filesApi.remove, { objectId: idOf(url) })).status).toBe(404)
      }),
  },
  cancels: {
    weight: 1,
    now: (world) =>
      ofTabs(world, async ({ who }, dice) => {
        const own = world.files.filter(({ owner }) => owner === who)
        if (own.length === 0) return
        const file = dice.pick(own)
        const { status } = await who.tries(filesApi.remove, { objectId: objectIdOf(file.url) })
        expect([200, 404, 409]).toContain(status)
        if (status === 200) file.isRemoved = true
      }),
  },
  clears: {
    weight: 1,
    now: (world) =>
      ofTabs(world, async ({ who }, dice) => {
        const room = dice.pick(world.rooms.filter(({ members }) => members.includes(who)))
        const contact = (await who.contacts()).find(({ chatRoomId }) => chatRoomId === room.id)
        const { clearedSeq } = await who.does(contactsApi.clearChat, { contactId: contact?.id ?? '' })
        room.cleared.set(who.id, Math.max(clearedSeq, room.cleared.get(who.id) ?? 0))
      }),
  },
  passes: {
    weight: 2,
    now: ({ server, clock }) => [
      {
        busy: [clock],
        async does(dice) {
          server.passes(dice.pick([10, LIMITS.uploadSeconds + 1, 3700, LIMITS.uploadKeptSeconds + 1]))
          await server.jobs.runDue()
        },
      },
    ],
  },
}

/** What must hold whenever nothing is under way. */
async function settle({ server, rooms, files }: World): Promise<void> {
  for (let run = 0; run < 3; run++) {
    server.passes(61)
    await server.jobs.runDue()
  }
  const rows = await server.sql('select id, owner_id, state, size_bytes::int as size from objects')
  const kept = rows.filter(({ state }) => state === 'stored' || state === 'used').map(({ id }) => id)
  const prefixes = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))
  const names = (await Promise.all(prefixes.map((prefix) => server.env.bucket.list(prefix)))).flat()
  expect(names.sort()).toEqual(kept.sort())
  const people = [...new Set(rooms.flatMap(({ members }) => members))]
  for (const { id } of people) {
    const [{ counted = 0 } = {}] = await server.sql('select stored_bytes::int as counted from file_usage where user_id = $1', [
      id,
    ])
    const own = rows.filter((row) => row.owner_id === id && row.state !== 'dropped')
    expect(counted).toBe(own.reduce((sum, { size }) => sum + Number(size ?? 0), 0))
  }
  for (const { owner, url, bytes, isRemoved, sent } of files) {
    if (!bytes) continue
    const isLeft = rows.some(({ id, state }) => id === idOf(url) && (state === 'stored' || state === 'used'))
    const givenTo = (who: Person) => {
      if (!sent) return who === owner && !isRemoved && isLeft
      return sent.room.members.includes(who) && sent.seq > (sent.room.cleared.get(who.id) ?? 0)
    }
    for (const who of people) {
      await who.proves(who.deviceId)
      const { status, bytes: read } = await reads(server.url, who, pathOf(url))
      expect(status, `${who.username} reads ${url}`).toBe(givenTo(who) ? 200 : 404)
      if (status === 200) expect(read.equals(bytes)).toBe(true)
    }
    // Sent, and read by somebody: it stays whatever time passes.
    if (sent && people.some(givenTo)) expect(isLeft).toBe(true)
  }
}

test(
  'Three people upload, send, cancel, clear and take each other’s files while time passes: who is given a message reads its file, whole, and what is counted is what is stored',
  async () => {
    const server = await startWorld()
    const [alice, bob, carol] = await Promise.all(['alice', 'bob', 'carol'].map((name) => server.person(name)))
    if (!alice || !bob || !carol) throw new Error('Somebody is missing')
    const pairs: [Person, Person][] = [
      [alice, bob],
      [bob, carol],
      [carol, alice],
    ]
    const rooms: Room[] = []
    for (const [one, two] of pairs) rooms.push({ id: await one.talksTo(two), members: [one, two], cleared: new Map() })
    const tabs = [alice, bob, carol].flatMap((who) => [1, 2].map((tab) => ({ name: `${who.username} ${tab}`, who })))
    const world: World = { server, tabs, clock: { name: 'the clock' }, rooms, files: [] }
    await walk({ seed: SEED, steps: STEPS, verbs: VERBS, world, settle })
    expect(world.files.some(({ sent }) => sent)).toBe(true)
  },
  120_000 + STEPS * 5000,
)
