import { expect } from 'vitest'
import { directRoomId } from '../contract/ground/shapes.ts'
import type { World as Server } from '../server/testing/world.ts'
import { type Browser, newBrowser, type Tab } from './browser.ts'
import type { Doer } from './walk.ts'

export const PATIENCE = { timeout: 60_000, interval: 50 }
/** A seq that will be known when everything has settled. */
export const NOT_YET = Number.POSITIVE_INFINITY

/** An account and its expected state. */
export interface Person extends Doer {
  username: string
  password: string
  userId: string
  devices: Device[]
  /** Browsers that were removed from the account. */
  removed: Device[]
  keepsHistory: boolean
  /** The seq after which the server stores what a new browser needs to read. */
  historyFrom: number
  /** The account's read mark at the last settling, and whether its owner has looked since. */
  readSeq: number
  hasLooked: boolean
  /** What its owner has deleted for themself: by seq, the id and who signed it. */
  hidden: Map<number, { id: string; by: Device }>
}

/** A browser of an account. */
export interface Device extends Doer {
  owner: Person
  browser: Browser
  seats: Seat[]
  deviceId: string
  isOnline: boolean
  /** True while the browser is being removed from the account, and after that. */
  isLeaving: boolean
  /** Ranges of seqs (after, up to) that it may be unable to read, because no history was kept and it had not joined the room. */
  gaps: { after: number; upTo: number }[]
  /** True once the browser has been seen to hold all that it can read. */
  isWhole: boolean
}

/** A person at a tab. */
export interface Seat extends Doer {
  device: Device
  tab: Tab
  isOpen: boolean
  isLooking: boolean
}

export interface Written {
  device: Device
  /** False if the tab was closed or the browser removed before the message was certainly stored. */
  isSure: boolean
  /** The tab, where it writes in its order. */
  by?: string
  /** Taken back before it left the browser. */
  isTakenBack?: boolean
  /** Its seq in the room's log. */
  seq?: number
}

export interface World {
  server: Server
  alice: Person
  bob: Person
  chatRoomId: string
  isAccepted: boolean
  texts: Map<string, Written>
  /** The places of messages that were edited, by what they said then. */
  edits: Map<string, number>
  /** The seq of what a text replies to. */
  replies: Map<string, number>
  /** Who forwarded a message into the chat, and where these were found. */
  forwards: { by: Device[]; places: Set<number> }
  /** Who sent what opens once, and where these were found. */
  onces: { by: Device[]; places: Set<number> }
  /** The places of messages on which somebody acted. */
  acted: Set<number>
  deleted: Set<number>
  /** The seq up to which everything has been checked. */
  checkedSeq: number
  names: number
}

/** Makes Alice and Bob with one browser each. Alice has added Bob. */
export async function newWorld(server: Server): Promise<World> {
  const [alice, bob] = [await newPerson(server, 'Alice'), await newPerson(server, 'Bob')]
  await server.sql("update users set subscription_tier = 'premium'")
  await seatsOf(alice)[0]?.tab.adds(bob.username)
  for (const seat of [...seatsOf(alice), ...seatsOf(bob)]) await ready(seat)
  const chatRoomId = directRoomId(alice.userId, bob.userId)
  return {
    server,
    alice,
    bob,
    chatRoomId,
    isAccepted: false,
    texts: new Map(),
    edits: new Map(),
    replies: new Map(),
    forwards: { by: [], places: new Set() },
    onces: { by: [], places: new Set() },
    acted: new Set(),
    deleted: new Set(),
    checkedSeq: 0,
    names: 0,
  }
}

async function newPerson(server: Server, name: string): Promise<Person> {
  const person: Person = {
    ...{ name, username: name.toLowerCase(), password: `the password of ${name}`, userId: '', devices: [], removed: [] },
    ...{ keepsHistory: true, historyFrom: 0, readSeq: 0, hasLooked: false, hidden: new Map() },
  }
  const { seat } = await newDevice(server, person, `${name}'s first browser`, (tab) => tab.signsUp(person))
  person.userId = (await seat.tab.state()).user?.id ?? ''
  return person
}

/** Makes another browser of the account, which signs in by `goesIn`. */
export async function newDevice(server: Server, owner: Person, name: string, goesIn: (tab: Tab) => Promise<void>) {
  const browser = newBrowser(server.url)
  const device: Device = {
    name,
    owner,
    browser,
    seats: [],
    deviceId: '',
    isOnline: true,
    isLeaving: false,
    gaps: [],
    isWhole: false,
  }
  const seat = await newSeat(device, name)
  await goesIn(seat.tab)
  device.deviceId = (await seat.tab.state()).deviceId ?? ''
  owner.devices.push(device)
  return { device, seat }
}

/** Opens another tab of the browser. */
export async function newSeat(device: Device, name: string): Promise<Seat> {
  const tab = await device.browser.opensTab()
  const seat: Seat = { name, device, tab, isOpen: false, isLooking: false }
  device.seats.push(seat)
  await tab.starts()
  return seat
}

/** Waits until the page lists the contact, or is signed out because its browser is being removed. */
export async function ready({ tab, device }: Seat): Promise<void> {
  const isThere = async () => {
    const { phase, row } = await tab.state()
    return row !== undefined || (phase === 'signed_out' && device.isLeaving)
  }
  await expect.poll(isThere, PATIENCE).toBe(true)
}

export const seatsOf = ({ devices }: Person): Seat[] => devices.flatMap(({ seats }) => seats)
export const seatsIn = ({ alice, bob }: World): Seat[] => [...seatsOf(alice), ...seatsOf(bob)]
