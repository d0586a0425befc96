import {
  chooses,
  deletes,
  edits,
  forwards,
  hides,
  marks,
  opensOnce,
  pins,
  reacts,
  sendsOnce,
  setsTimer,
  stars,
} from './actVerbs.ts'
import {
  type Device,
  NOT_YET,
  newDevice,
  newSeat,
  type Person,
  ready,
  type Seat,
  seatsIn,
  seatsOf,
  type World,
} from './people.ts'
import type { Dice, Doer, Verb } from './walk.ts'

const DEVICES = 3
const TABS = 2

/** The acts of two people in their chat. A feature that gives them a new act adds a verb. */
export const VERBS: Record<string, Verb<World>> = {
  says: atTab(8, seatsIn, says),
  replies: atTab(2, looking, replies),
  'forwards a message': atTab(1, looking, forwards),
  'sends what opens once': atTab(2, (world) => (world.isAccepted ? looking(world).filter(isOnline) : []), sendsOnce),
  'opens what opens once': atTab(2, (world) => (world.isAccepted ? looking(world).filter(isOnline) : []), opensOnce),
  'pins a message': atTab(2, (world) => (world.isAccepted ? looking(world) : []), pins),
  'writes offline': atTab(4, away, says),
  'takes back what it wrote offline': atTab(2, away, takesBack),
  edits: atTab(2, (world) => (world.isAccepted ? looking(world) : []), edits),
  reacts: atTab(3, (world) => (world.isAccepted ? looking(world) : []), reacts),
  deletes: atTab(1, looking, deletes),
  'deletes for oneself': atTab(1, (world) => (world.isAccepted ? looking(world).filter(isOnline) : []), hides),
  'marks the chat': atBrowser(2, (world) => (world.isAccepted ? online(world) : []), marks),
  'stars a message': atTab(1, (world) => (world.isAccepted ? looking(world).filter(isOnline) : []), stars),
  'sets the timer': atTab(2, (world) => (world.isAccepted ? looking(world).filter(isOnline) : []), setsTimer),
  'sends and reloads at once': atBrowser(1, online, sendsAndReloads),
  accepts: atBrowser(2, ({ isAccepted, bob }) => (isAccepted ? [] : seatsOf(bob).filter(isOnline)), accepts),
  'looks at the room': atTab(2, (world) => seatsIn(world).filter(({ isLooking }) => !isLooking), looks),
  'looks away': atTab(2, looking, looksAway),
  'leaves the room': atTab(1, looking, leavesRoom),
  reloads: atBrowser(2, online, reloads),
  'opens another tab': atBrowser(1, (world) => online(world).filter(({ device }) => device.seats.length < TABS), opensTab),
  'closes this tab': atBrowser(1, (world) => seatsIn(world).filter(({ device }) => device.seats.length > 1), closesTab),
  'loses the connection': atBrowser(3, online, async ({ device }) => disconnect(device)),
  'is connected again': atBrowser(3, away, async ({ device }) => connect(device)),
  'adds a browser': byAccount(
    2,
    (world) => [world.alice, world.bob].filter(({ devices }) => devices.length < DEVICES),
    addsBrowser,
  ),
  'removes another browser': atAccount(
    1,
    (world) => online(world).filter(({ device }) => device.owner.devices.length > 1),
    removes,
  ),
  'switches the history': atAccount(1, online, switchesHistory),
}

const isOnline = ({ device }: Seat) => device.isOnline
function online(world: World): Seat[] {
  return seatsIn(world).filter(isOnline)
}
function away(world: World): Seat[] {
  return seatsIn(world).filter((seat) => !isOnline(seat))
}
function looking(world: World): Seat[] {
  return seatsIn(world).filter(({ isLooking }) => isLooking)
}

type AtSeat = (seat: Seat, world: World, dice: Dice) => Promise<void>
type Who = (world: World) => Seat[]

/** Occupies only this tab: everything else may happen at the same time, also at the browser's other tab. */
function atTab(weight: number, who: Who, does: AtSeat): Verb<World> {
  return seatVerb(weight, who, does, (seat) => [seat])
}
/**
 * Occupies the browser: at the same time it allows only acts of its other tabs that occupy a tab, such as writing and looking.
 */
function atBrowser(weight: number, who: Who, does: AtSeat): Verb<World> {
  return seatVerb(weight, who, does, (seat) => [seat, seat.device])
}
/** Occupies the browser, its tabs and the account: no other act uses them at the same time. */
function atAccount(weight: number, who: Who, does: AtSeat): Verb<World> {
  return seatVerb(weight, who, does, (seat) => [seat, ...seat.device.seats, seat.device, seat.device.owner])
}

function seatVerb(weight: number, who: Who, does: AtSeat, busy: (seat: Seat) => [Doer, ...Doer[]]): Verb<World> {
  const now: Verb<World>['now'] = (world) => {
    return who(world).map((seat) => ({ busy: busy(seat), does: (dice) => unlessLeaving(seat, does(seat, world, dice)) }))
  }
  return { weight, now }
}

function byAccount(weight: number, who: (world: World) => Person[], does: (person: Person, world: World) => Promise<void>) {
  const now: Verb<World>['now'] = (world) => who(world).map((person) => ({ busy: [person], does: () => does(person, world) }))
  return { weight, now }
}

/** Ignores failures at a browser that is being removed from the account. */
async function unlessLeaving({ device }: Seat, doing: Promise<void>): Promise<void> {
  try {
    await doing
  } catch (error) {
    if (!device.isLeaving) throw error
  }
}

async function looks(seat: Seat): Promise<void> {
  seat.device.owner.hasLooked = true
  seat.isLooking = true
  seat.tab.setLookedAt(true)
  if (!seat.isOpen) await seat.tab.opensRoom()
  seat.isOpen = true
}

async function looksAway(seat: Seat): Promise<void> {
  seat.tab.setLookedAt(false)
  seat.isLooking = false
}

async function leavesRoom(seat: Seat): Promise<void> {
  seat.tab.leavesRoom()
  seat.isOpen = false
  await looksAway(seat)
}

function newText(seat: Seat, { texts }: World, isSure: boolean): string {
  const text = `number ${texts.size}, from ${seat.name}`
  texts.set(text, { device: seat.device, isSure, ...(isSure && { by: seat.name }) })
  return text
}

async function says(seat: Seat, world: World): Promise<void> {
  await looks(seat)
  await seat.tab.says(newText(seat, world, true))
}

async function replies(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await chooses(seat, world, dice, () => true)
  if (seq === undefined) return
  const text = newText(seat, world, true)
  world.replies.set(text, seq)
  await seat.tab.replies(seq, text)
}

/** The line may come back meanwhile: then the message is sent, and not taken back. */
async function takesBack(seat: Seat, world: World): Promise<void> {
  await looks(seat)
  const text = newText(seat, world, true)
  await seat.tab.says(text)
  const written = world.texts.get(text)
  if (written && (await seat.tab.takesBack(text))) written.isTakenBack = true
}

async function sendsAndReloads(seat: Seat, world: World, dice: Dice): Promise<void> {
  await looks(seat)
  seat.tab.says(newText(seat, world, false)).catch(() => undefined)
  for (let turns = dice.below(40); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
  await reloads(seat)
}

async function reloads(seat: Seat): Promise<void> {
  seat.tab.close()
  Object.assign(seat, { isOpen: false, isLooking: false, tab: await seat.device.browser.opensTab() })
  await seat.tab.starts()
  await ready(seat)
}

async function accepts({ tab }: Seat, world: World): Promise<void> {
  await tab.accepts()
  world.isAccepted = true
}

async function opensTab({ device }: Seat): Promise<void> {
  await ready(await newSeat(device, `${device.name} in another tab`))
}

async function closesTab(seat: Seat): Promise<void> {
  seat.device.seats.splice(seat.device.seats.indexOf(seat), 1)
  seat.tab.close()
}

function disconnect(device: Device): void {
  device.isOnline = false
  device.browser.goesOffline()
}

export function connect(device: Device): void {
  if (device.isOnline) return
  device.isOnline = true
  device.browser.comesBack()
}

async function addsBrowser(person: Person, world: World): Promise<void> {
  world.names += 1
  const { device, seat } = await newDevice(world.server, person, `${person.name}'s browser ${world.names}`, (tab) =>
    tab.joins(person),
  )
  device.gaps.push({ after: 0, upTo: person.keepsHistory ? person.historyFrom : NOT_YET })
  await ready(seat)
}

async function removes({ tab, device }: Seat, _: World, dice: Dice): Promise<void> {
  const { owner } = device
  const target = dice.pick(owner.devices.filter((one) => one !== device))
  target.isLeaving = true
  await tab.removes(target.deviceId, owner.password)
  owner.devices.splice(owner.devices.indexOf(target), 1)
  owner.removed.push(target)
}

async function switchesHistory({ tab, device: { owner } }: Seat, { checkedSeq }: World): Promise<void> {
  await tab.switchesHistory(!owner.keepsHistory, owner.password)
  owner.keepsHistory = !owner.keepsHistory
  // Messages that a browser has not read by now are readable only if it has joined the room itself.
  if (!owner.keepsHistory)
    for (const { gaps, isWhole } of owner.devices) gaps.push({ after: isWhole ? checkedSeq : 0, upTo: NOT_YET })
  owner.historyFrom = NOT_YET
}
