import { expect } from 'vitest'
import { contactsApi } from '../contract/chat/contacts.ts'
import { messagesApi } from '../contract/chat/messages.ts'
import type { ServerFrame } from '../contract/frames.ts'
import { PERIODS } from '../contract/ground/limits.ts'
import { type Privacy, privacyApi, privacyShape } from '../contract/people/privacy.ts'
import { atScreen, type Crowd, type Friend, isOnline, UNREAD_VERBS } from './crowd.ts'
import { PATIENCE } from './people.ts'
import { connect } from './verbs.ts'
import type { Dice, Verb } from './walk.ts'

const SWITCHES = privacyShape.keyof().options

function byFriend(
  weight: number,
  who: (friend: Friend) => boolean,
  does: (friend: Friend, crowd: Crowd, dice: Dice) => Promise<unknown>,
) {
  const now: Verb<Crowd>['now'] = (crowd) =>
    crowd.friends.filter(who).map((friend) => ({
      busy: [friend],
      async does(dice) {
        await does(friend, crowd, dice)
      },
    }))
  return { weight, now }
}

/** Alice writes as a program of hers does, whose words are plain text: friends have no keys to seal for. */
async function aliceWrites({ server, alice }: Crowd, { chatRoomId }: Friend): Promise<void> {
  const program = server.stranger()
  program.cookie = alice.devices[0]?.browser.cookie()
  await program.does(messagesApi.send, { chatRoomId, content: 'a line of Alice', messageType: 'text' })
}

/** All four at once, so that a short walk comes to each of them hidden on one side alone. */
const flips = (dice: Dice): Partial<Privacy> => Object.fromEntries(SWITCHES.map((what) => [what, dice.below(5) > 1]))

const SHARED = [
  'writes',
  'looks at a chat',
  'looks away',
  'blocks',
  'unblocks',
  'loses the connection',
  'is connected again',
  'reloads',
]

async function comes(friend: Friend): Promise<void> {
  friend.line ??= await friend.program.opensSocket()
}

async function goes(friend: Friend): Promise<void> {
  friend.line?.hangsUp()
  await friend.line?.closed
  friend.line = undefined
}

/** What Alice and her friends do that others may see, and how they hide it. */
export const SEEN_VERBS: Record<string, Verb<Crowd>> = {
  ...Object.fromEntries(Object.entries(UNREAD_VERBS).filter(([name]) => SHARED.includes(name))),
  'writes to a friend': byFriend(
    5,
    () => true,
    (friend, crowd) => aliceWrites(crowd, friend),
  ),
  'switches what she shows': atScreen(4, isOnline, ({ seat }, _, dice) => seat.tab.switches(flips(dice))),
  'switches what they show': byFriend(
    6,
    () => true,
    ({ program }, _, dice) => program.does(privacyApi.update, flips(dice)),
  ),
  comes: byFriend(4, ({ line }) => line === undefined, comes),
  goes: byFriend(3, ({ line }) => line !== undefined, goes),
  reads: byFriend(
    3,
    () => true,
    ({ program, chatRoomId }) => program.does(messagesApi.markRead, { chatRoomId }),
  ),
}

/** A friend and Alice: what both show, and what there is to see. */
interface Truth {
  both: Privacy
  /** What Alice shows: of what she hides she is not even told that it is hidden. */
  hers: Privacy
  isBlocked: boolean
  isAliceHere: boolean
  lastSeen: { alice: unknown; friend: unknown }
  readSeq: { alice: number; friend: number }
  /** The place of Alice’s newest message that the friend has read; 0 for none. */
  readOfAlice: number
}

const shownBy = (row: Record<string, unknown>, who: string): Privacy => ({
  presence: row[`${who}_presence`] === true,
  lastSeen: row[`${who}_last_seen`] === true,
  typing: row[`${who}_typing`] === true,
  receipts: row[`${who}_receipts`] === true,
})

async function truthOf({ server, alice, screens }: Crowd, friend: Friend): Promise<Truth> {
  const columns = (who: string) =>
    ['presence', 'last_seen', 'typing', 'receipts'].map((what) => `${who}.shows_${what} as ${who}_${what}`).join(', ')
  const [row = {}] = await server.sql(
    `select ${columns('a')}, ${columns('f')}, c.is_blocked,
       case when c.is_blocked then c.seen_when_blocked else pa.last_seen end as a_seen, pf.last_seen as f_seen,
       coalesce(ma.shown_read_seq, ma.read_seq) as a_read, mf.read_seq as f_read,
       (select max(m.seq) from messages m where m.room = (select number from chat_rooms where id = c.chat_room_id) and m.sender_id = a.id
         and m.seq <= mf.read_seq) as of_alice
     from contacts c join users a on a.id = c.user_id join users f on f.id = c.contact_user_id
     join chat_participants ma on ma.chat_room_id = c.chat_room_id and ma.user_id = a.id
     join chat_participants mf on mf.chat_room_id = c.chat_room_id and mf.user_id = f.id
     left join presence pa on pa.user_id = a.id left join presence pf on pf.user_id = f.id
     where c.user_id = $1 and c.contact_user_id = $2`,
    [alice.userId, friend.id],
  )
  const [hers, theirs] = [shownBy(row, 'a'), shownBy(row, 'f')]
  const both = Object.fromEntries(SWITCHES.map((what) => [what, hers[what] && theirs[what]])) as unknown as Privacy
  return {
    ...{ both, hers, isBlocked: row['is_blocked'] === true, isAliceHere: screens.some(isOnline) },
    lastSeen: { alice: row['a_seen'], friend: row['f_seen'] },
    readSeq: { alice: Number(row['a_read']), friend: Number(row['f_read']) },
    readOfAlice: Number(row['of_alice'] ?? 0),
  }
}

/** Waits until each sees of the others what both show and nothing else: with whoever is away, then with Alice at all her browsers. */
export async function settleSeen(crowd: Crowd): Promise<void> {
  await expect.poll(() => unlikeTheTruth(crowd), PATIENCE).toEqual([])
  for (const { seat } of crowd.screens) connect(seat.device)
  await expect.poll(() => unlikeTheTruth(crowd), PATIENCE).toEqual([])
  await typeTogether(crowd)
  for (const { name, seat } of crowd.screens) expect(seat.tab.complaints, name).toEqual([])
}

const ALL: Privacy = { presence: true, lastSeen: true, typing: true, receipts: true }

/** Hides one thing after another, on one side after the other, while everybody comes, writes, reads and goes. */
export async function hideOneByOne(crowd: Crowd): Promise<void> {
  const { friends, screens } = crowd
  const [first] = screens
  for (const { seat } of screens) connect(seat.device)
  for (const friend of friends) {
    await goes(friend)
    await first?.seat.tab.unblocks(friend.chatRoomId)
  }
  for (const what of SWITCHES)
    for (const hider of ['Alice', friends[0]?.name]) {
      const shows = (name: string): Privacy => ({ ...ALL, [what]: name !== hider })
      await first?.seat.tab.switches(shows('Alice'))
      for (const { name, program } of friends) await program.does(privacyApi.update, shows(name))
      await settleSeen(crowd)
      for (const friend of friends) {
        await comes(friend)
        await aliceWrites(crowd, friend)
        await friend.program.does(messagesApi.markRead, { chatRoomId: friend.chatRoomId })
      }
      await settleSeen(crowd)
      for (const friend of friends) await goes(friend)
      if (what === 'presence' || what === 'lastSeen')
        for (const { seat } of screens) {
          seat.device.isOnline = false
          seat.device.browser.goesOffline()
        }
      await settleSeen(crowd)
    }
}

async function unlikeTheTruth(crowd: Crowd): Promise<string[]> {
  const wrong = await Promise.all(
    crowd.friends.map(async (friend) => {
      const truth = await truthOf(crowd, friend)
      return [...(await seenByFriend(crowd, friend, truth)), ...crowd.screens.flatMap((screen) => seenAt(screen, friend, truth))]
    }),
  )
  return wrong.flat()
}

/** What is wrong with what the friend is answered and told of Alice. */
async function seenByFriend({ alice }: Crowd, { name, program, line }: Friend, truth: Truth): Promise<string[]> {
  const [contact] = await program.does(contactsApi.list, {})
  const { both, isBlocked, isAliceHere, lastSeen, readSeq } = truth
  const expected = {
    isOnline: both.presence && !isBlocked && isAliceHere,
    lastSeen: both.lastSeen && lastSeen.alice instanceof Date ? lastSeen.alice.toISOString() : null,
    readSeq: both.receipts ? readSeq.alice : 0,
  }
  const seen = {
    isOnline: contact?.contactUser.isOnline,
    lastSeen: contact?.contactUser.lastSeen,
    readSeq: contact?.theirReadSeq,
  }
  const isSame = JSON.stringify(seen) === JSON.stringify(expected)
  // Told to read the list anew, by Alice's switch or by their own, the friend forgets what was told before.
  const isAnew = (frame: ServerFrame) => frame.type === 'contacts' || (frame.type === 'account' && frame.data.what === 'privacy')
  const heard = line?.frames.slice(line.frames.findLastIndex(isAnew) + 1) ?? []
  const told = heard.findLast((frame) => frame.type === 'presence')
  const marks = heard.flatMap((frame) =>
    frame.type === 'receipt' && frame.data.userId === alice.userId ? [frame.data.readSeq] : [],
  )
  const isToldRight = told?.type !== 'presence' || told.data.userId !== alice.userId || told.data.isOnline === expected.isOnline
  return [
    ...(isSame ? [] : [`${name} sees ${JSON.stringify(seen)} of Alice, not ${JSON.stringify(expected)}`]),
    ...(isToldRight ? [] : [`${name} was told that Alice is ${expected.isOnline ? 'away' : 'online'}`]),
    ...(Math.max(0, ...marks) <= expected.readSeq ? [] : [`${name} was told that Alice read ${marks}, not ${expected.readSeq}`]),
  ]
}

/** What is wrong with what one of Alice's browsers shows of the friend. */
function seenAt({ name, seat }: Crowd['screens'][number], friend: Friend, truth: Truth): string[] {
  if (!seat.device.isOnline) return []
  const { both, hers, isBlocked, lastSeen, readSeq, readOfAlice } = truth
  const row = seat.tab.seen().find(({ id }) => id === friend.chatRoomId)
  if (!row) return [`${name} does not list ${friend.name}`]
  const isHere = both.presence && friend.line !== undefined
  const words = isHere
    ? 'Online'
    : hers.lastSeen
      ? both.lastSeen && lastSeen.friend !== null
        ? 'Last seen'
        : 'Last seen never'
      : hers.presence
        ? 'Offline'
        : undefined
  const isNothing = isBlocked || words === undefined
  const shown = row.presence?.words.replace(/^Last seen (?!never).*/, 'Last seen')
  const dot = isNothing ? undefined : isHere ? true : hers.presence ? false : null
  // What a friend writes moves their mark past it; that says nothing of Alice’s messages, and is told to nobody.
  const most = both.receipts ? readSeq.friend : 0
  const least = both.receipts && !isBlocked ? readOfAlice : 0
  return [
    ...(shown === (isNothing ? undefined : words) ? [] : [`${name} says "${shown}" of ${friend.name}, not "${words}"`]),
    ...(row.presence?.isOnline === dot ? [] : [`${name} has the dot ${row.presence?.isOnline} at ${friend.name}, not ${dot}`]),
    ...(row.readSeq <= most ? [] : [`${name} shows that ${friend.name} read ${row.readSeq}, which is beyond ${most}`]),
    ...(row.readSeq >= least ? [] : [`${name} shows that ${friend.name} read ${row.readSeq}, and they read ${least}`]),
  ]
}

/** All friends who are here type at once: Alice sees those with whom she shares it. */
async function typeTogether(crowd: Crowd): Promise<void> {
  const truths = await Promise.all(crowd.friends.map(async (friend) => ({ friend, ...(await truthOf(crowd, friend)) })))
  const typing = new Set(
    truths.flatMap(({ friend, both, isBlocked }) => (friend.line && both.typing && !isBlocked ? [friend.chatRoomId] : [])),
  )
  const shown = (seat: Crowd['screens'][number]['seat']) => seat.tab.seen().flatMap(({ id, isTyping }) => (isTyping ? [id] : []))
  const type = (isTyping: boolean) => {
    for (const { line, chatRoomId } of crowd.friends) line?.says({ type: 'typing', data: { chatRoomId, isTyping } })
  }
  let saidAtMs = Date.now()
  type(true)
  // What is on its way to somebody who must not see it arrives before the answers to as many questions.
  for (let asked = 0; asked < 3; asked++)
    await Promise.all(crowd.friends.map(({ program }) => program.does(contactsApi.list, {})))
  await Promise.all(crowd.screens.map(({ seat }) => seat.tab.isCountRight()))
  const shownNow = (seat: Crowd['screens'][number]['seat']) => {
    // A composer sends it again too, before others stop to show it.
    if (Date.now() - saidAtMs > PERIODS.typingSentMs) {
      saidAtMs = Date.now()
      type(true)
    }
    return shown(seat).sort()
  }
  for (const { name, seat } of crowd.screens)
    await expect.poll(() => shownNow(seat), { ...PATIENCE, message: `who types at ${name}` }).toEqual([...typing].sort())
  type(false)
  for (const { seat } of crowd.screens) await expect.poll(() => shown(seat), PATIENCE).toEqual([])
}
