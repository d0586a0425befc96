import { basename } from 'node:path'
import { expect } from 'vitest'
import type { CallType } from '../contract/chat/calllimits.ts'
import { type Driver, PATIENCE_MS } from './driver.ts'
import { type Flow, flowOf } from './watchcall.ts'

export interface Account {
  username: string
  password: string
}

/** Who somebody is on the screens of others. */
interface Named {
  name: string
  username: string
}

/** A person at the screen of any browser. Each verb acts on the screen as the person would, and waits until the result is shown. */
export interface Visitor extends Account, Named {
  /** Errors that the page has logged. A test expects none. */
  complaints: string[]
  signsUp(): Promise<void>
  signsIn(): Promise<void>
  /** Confirms, after a sign-in, that this browser is the person's own. */
  addsBrowser(): Promise<void>
  /** Waits until the page has learned of a paid plan. */
  hasPlan(): Promise<void>
  adds(other: Named): Promise<void>
  accepts(other: Named): Promise<void>
  opens(other: Named): Promise<void>
  says(text: string): Promise<void>
  /** Waits until a bubble with this text is on the screen. */
  reads(text: string): Promise<void>
  /** Waits until the person's own bubble has this tick. */
  seesTick(text: string, tick: 'Sent' | 'Delivered' | 'Read'): Promise<void>
  /** Sends the document at this path. */
  sends(path: string): Promise<void>
  /** Saves the document with this name from the chat, and returns its bytes. */
  saves(name: string): Promise<Buffer>
  /** Offers the file at this path from browser to browser. */
  offersDirectly(path: string): Promise<void>
  /** Accepts the offer of a file with this name. */
  takesDirectly(name: string): Promise<void>
  /** Waits until it has come whole, saves it and returns its bytes. */
  savesDirectly(name: string): Promise<Buffer>
  /** Opens the camera and the microphone, and returns the kinds of what is live. */
  films(): Promise<string[]>
  /** Records a voice message and sends it. */
  speaks(): Promise<void>
  /** Plays the only voice message on the screen. */
  hears(): Promise<void>
  /** Presses the button of the open chat. */
  calls(kind: CallType): Promise<void>
  /** Has been asked before, and lets whoever is called see the network address. */
  allowsAddress(): Promise<void>
  /** Somebody rings. */
  isRung(kind: CallType): Promise<void>
  takesCall(): Promise<void>
  /** Waits until the call is connected, and returns its four words. */
  talks(): Promise<string>
  /** What comes and goes in the newest call. */
  flows(): Promise<Flow>
  /** Waits until so many more pictures of the other end have come. */
  sees(frames: number): Promise<void>
  /** Waits until more sound of the other end has come. */
  listens(): Promise<void>
  hangsUp(): Promise<void>
  /** Waits until nothing of a call is on the screen. */
  hasLeftCall(): Promise<void>
  /** Waits until the connection says this of itself. */
  isConnected(words: string): Promise<void>
  /** Waits until it does not. */
  isNotConnected(words: string): Promise<void>
  /** Types without sending. */
  types(text: string): Promise<void>
  /** Sends what has been typed. */
  sendsTyped(text: string): Promise<void>
  /** Returns the texts of the bubbles on screen, top to bottom. */
  shows(): Promise<string[]>
  reloads(): Promise<void>
  leaves(): Promise<void>
}

export function visitorBy(driver: Driver, url: string, { name, username, password }: Account & Named): Visitor {
  async function sendTyped(text: string): Promise<void> {
    await driver.press({ role: 'button', name: 'Send' })
    await driver.sees({ css: '.bub', text })
  }
  return {
    name,
    username,
    password,
    complaints: driver.complaints,
    async signsUp() {
      await driver.open(`${url}/auth`)
      await driver.type('Username cannot be changed later', username)
      await driver.type('Display name 1 to 50 characters', name)
      await driver.type('Password 6 to 100 characters', password)
      await driver.type('Repeat password', password)
      await driver.press({ role: 'button', name: 'Create account' })
      await driver.press({ role: 'button', name: 'Skip for now' })
      await driver.sees({ role: 'button', name: 'Add by Username/Onion' })
    },
    async signsIn() {
      await driver.open(`${url}/auth`)
      await driver.press({ role: 'tab', name: 'Sign In' })
      await driver.type('Username', username)
      await driver.type('Password', password)
      await driver.press({ role: 'button', name: 'Sign In' })
    },
    async addsBrowser() {
      await driver.press({ role: 'button', name: 'Add this browser' })
      await driver.sees({ role: 'button', name: 'Add by Username/Onion' })
    },
    hasPlan: () => driver.misses({ css: '.free', text: 'Free Plan Active' }),
    async adds(other) {
      await driver.press({ role: 'button', name: 'Add by Username/Onion' })
      await driver.type('Username or onion address', other.username)
      await driver.press({ role: 'button', name: 'Add Contact' })
      await driver.sees({ css: '.row', text: other.name })
    },
    accepts: () => driver.press({ css: 'button', text: 'Accept' }),
    async opens(other) {
      await driver.press({ css: 'a.row, .row a', text: other.name })
      await driver.sees({ role: 'textbox', name: 'Message' })
    },
    async says(text) {
      await driver.type('Message', text)
      await sendTyped(text)
    },
    types: (text) => driver.type('Message', text),
    sendsTyped: sendTyped,
    shows: () =>
      driver.asks(() =>
        [...document.querySelectorAll('.bub p')].map((bubble) =>
          [...bubble.childNodes]
            .map((part) => (part instanceof Element && part.matches('.meta') ? '' : part.textContent))
            .join(''),
        ),
      ),
    reads: (text) => driver.sees({ css: '.bub', text }),
    seesTick: (text, tick) => driver.sees({ css: `[role="group"][aria-label*=", ${tick.toLowerCase()}"]`, text }),
    async sends(path) {
      await driver.press({ role: 'button', name: 'Attach files' })
      await driver.chooses({ role: 'menuitem', name: 'Choose files' }, path)
      await driver.press({ css: '[role="dialog"] button[type="submit"]', text: 'Send' })
      await driver.sees({ css: '.att-document', text: basename(path) })
    },
    saves: (file) => driver.saves({ css: 'button.att-document', text: file }, file),
    async offersDirectly(path) {
      await driver.press({ role: 'button', name: 'Attach files' })
      await driver.press({ role: 'menuitem', name: 'Send directly, up to 100 MB' })
      await driver.gives('input[aria-label="Files to send directly"]', path)
      await driver.press({ css: '[role="dialog"] footer .primary', text: 'Send' })
      await driver.sees({ css: '.transfer-line', text: basename(path) })
      await driver.press({ role: 'button', name: 'Close' })
      await driver.misses({ css: '[role="dialog"]' })
    },
    takesDirectly: (file) => driver.press({ role: 'button', name: `Accept ${file}` }),
    savesDirectly: (file) => driver.saves({ role: 'button', name: `Save ${file}` }, file),
    films: () =>
      driver.asks(async () => {
        const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true })
        const live = stream.getTracks().filter(({ readyState }) => readyState === 'live')
        for (const track of live) track.stop()
        return live.map(({ kind }) => kind).sort()
      }),
    async speaks() {
      await driver.press({ role: 'button', name: 'Record a voice message' })
      // "0:01" stands there for a second, and could be missed.
      await driver.sees({ css: '.recording' })
      await driver.misses({ css: '.recording', text: '0:00' })
      await driver.press({ role: 'button', name: 'Send voice message' })
      await driver.sees({ role: 'button', name: 'Play voice message' })
    },
    async hears() {
      await driver.press({ role: 'button', name: 'Play voice message' })
      const isPlayed = () => driver.asks(() => (document.querySelector('audio')?.currentTime ?? 0) > 0)
      await expect.poll(isPlayed).toBe(true)
    },
    calls: (kind) => driver.press({ role: 'button', name: kind === 'video' ? 'Video call' : 'Voice call' }),
    allowsAddress: () => driver.asks(() => localStorage.setItem('call-address', '1')),
    isRung: (kind) => driver.sees({ css: '[role="alertdialog"]', text: `Incoming ${kind} call` }),
    takesCall: () => driver.press({ role: 'button', name: 'Accept' }),
    async talks() {
      await driver.sees({ css: '.call-words b' })
      return driver.asks(() => document.querySelector('.call-words b')?.textContent ?? '')
    },
    flows: () => driver.asks(flowOf),
    async sees(frames) {
      const { framesDecoded } = await driver.asks(flowOf)
      const more = async () => (await driver.asks(flowOf)).framesDecoded - framesDecoded
      await expect.poll(more, { message: `pictures that ${name} sees`, timeout: PATIENCE_MS }).toBeGreaterThan(frames)
    },
    async listens() {
      const { audioPackets } = await driver.asks(flowOf)
      const more = async () => (await driver.asks(flowOf)).audioPackets - audioPackets
      await expect.poll(more, { message: `sounds that ${name} hears`, timeout: PATIENCE_MS }).toBeGreaterThan(10)
    },
    hangsUp: () => driver.press({ role: 'button', name: 'End' }),
    hasLeftCall: () => driver.misses({ css: '.call, .call-bar, [role="alertdialog"]' }),
    isConnected: (words) => driver.sees({ css: '.net', text: words }),
    isNotConnected: (words) => driver.misses({ css: '.net', text: words }),
    async reloads() {
      await driver.reload()
      await driver.sees({ role: 'button', name: 'Add by Username/Onion' })
    },
    leaves: driver.close,
  }
}
