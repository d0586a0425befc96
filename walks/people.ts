import { expect } from 'vitest'
import { directRoomId } from '../contract/shapes.ts'
import type { World as Server } from '../server/testing/world.ts'
import { type Browser, newBrowser, type Tab } from './browser.ts'
import type { Doer } from './walk.ts'

export const PATIENCE = { timeout: 60_000, interval: 50 }
/** A place in the room that is known once everything is quiet. */
export const NOT_YET = Number.POSITIVE_INFINITY

/** An account, and what is true of it. */
export interface Person extends Doer {
  username: string
  password: string
  userId: string
  devices: Device[]
  /** Browsers that were taken out of the account. */
  removed: Device[]
  keepsHistory: boolean
  /** After this place the server has kept what a new browser needs to read. */
  historyFrom: number
  /** How far it had read when everything was quiet last, and whether somebody has looked since. */
  readSeq: number
  hasLooked: boolean
}

/** A browser of somebody's account. */
export interface Device extends Doer {
  owner: Person
  browser: Browser
  seats: Seat[]
  deviceId: string
  isOnline: boolean
  /** It is being taken out of the account, or was. */
  isLeaving: boolean
  /** Places, from after the first to the second, that it may be unable to read: no history was kept, and it was not in the room. */
  gaps: { after: number; upTo: number }[]
  /** It has once been seen to hold all that it can read. */
  isWhole: boolean
}

/** Somebody in front of a tab. */
export interface Seat extends Doer {
  device: Device
  tab: Tab
  isOpen: boolean
  isLooking: boolean
}

export interface Written {
  device: Device
  /** False: its tab was closed or its browser taken away before it was surely kept. */
  isSure: boolean
  /** Where it stands. */
  seq?: number
}

export interface World {
  server: Server
  alice: Person
  bob: Person
  chatRoomId: string
  isAccepted: boolean
  texts: Map<string, Written>
  /** Up to this place everything was found right. */
  checkedSeq: number
  names: number
}

/** Alice and Bob at one browser each. Alice has added Bob. */
export async function newWorld(server: Server): Promise<World> {
  const [alice, bob] = [await newPerson(server, 'Alice'), await newPerson(server, 'Bob')]
  await server.sql("update users set subscription_tier = 'premium'")
  await seatsOf(alice)[0]?.tab.adds(bob.username)
  for (const seat of [...seatsOf(alice), ...seatsOf(bob)]) await ready(seat)
  const chatRoomId = directRoomId(alice.userId, bob.userId)
  return { server, alice, bob, chatRoomId, isAccepted: false, texts: new Map(), checkedSeq: 0, names: 0 }
}

async function newPerson(server: Server, name: string): Promise<Person> {
  const person: Person = {
    ...{ name, username: name.toLowerCase(), password: `the password of ${name}`, userId: '', devices: [], removed: [] },
    ...{ keepsHistory: true, historyFrom: 0, readSeq: 0, hasLooked: false },
  }
  const { seat } = await newDevice(server, person, `${name}'s first browser`, (tab) => tab.signsUp(person))
  person.userId = (await seat.tab.state()).user?.id ?? ''
  return person
}

/** One more browser of the account, which goes in as it is told. */
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

/** One more tab of the browser. */
export async function newSeat(device: Device, name: string): Promise<Seat> {
  const tab = await device.browser.opensTab()
  const seat: Seat = { name, device, tab, isOpen: false, isLooking: false }
  device.seats.push(seat)
  await tab.starts()
  return seat
}

/** The list of contacts shows, unless the browser was taken out of the account. */
export async function ready({ tab, device }: Seat): Promise<void> {
  const isThere = async () => {
    const { phase, row } = await tab.state()
    return row !== undefined || (phase === 'signed_out' && device.isLeaving)
  }
  await expect.poll(isThere, PATIENCE).toBe(true)
}

export const seatsOf = ({ devices }: Person): Seat[] => devices.flatMap(({ seats }) => seats)
export const seatsIn = ({ alice, bob }: World): Seat[] => [...seatsOf(alice), ...seatsOf(bob)]
