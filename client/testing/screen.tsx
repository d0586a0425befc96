import { cleanup, configure, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { z } from 'zod'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import type { Env } from '../env.ts'
import { type Api, ApiError } from '../net/api.ts'
import { connectionStore } from '../net/status.ts'
import { EnvContext } from '../ui/env.tsx'
import { toastStore } from '../ui/toast.ts'

/** For how long a test waits for what it wants to see: a second is nothing on a busy machine. */
const PATIENCE_MS = 20_000

/**
 * A screen without a browser, for tests of components: begin such a file with `// @vitest-environment happy-dom`. It has no layout;
 * what only an engine can show (focus rings, sizes, scrolling) is shown in e2e/.
 */
export function openScreen(): void {
  configure({ asyncUtilTimeout: PATIENCE_MS })
  const reports: unknown[][] = []
  beforeEach(() => {
    reports.length = 0
    vi.spyOn(globalThis.console, 'error').mockImplementation((...words) => void reports.push(words))
    connectionStore.setState({ phase: 'open', clockOffsetMs: 0 })
  })
  afterEach(() => {
    cleanup()
    toastStore.setState({ queue: [] })
    vi.restoreAllMocks()
    // React's development build reports there what a person would meet as a defect: two equal keys, a lost update.
    expect(reports).toEqual([])
  })
}

type Answer<E extends Endpoint> = (input: z.output<E['input']>) => z.input<E['output']> | Promise<z.input<E['output']>>

/** The server's side of the wire: what it answers to each call. A call without an answer fails the test by its name. */
export function makeAnswers() {
  const answers = new Map<Endpoint, (input: never) => unknown>()
  const asked: { path: string; input: unknown }[] = []
  return {
    /** All calls so far, in their order. */
    asked,
    on<E extends Endpoint>(endpoint: E, answer: Answer<E>): void {
      answers.set(endpoint, answer as (input: never) => unknown)
    },
    api: (async (endpoint: Endpoint, given: unknown) => {
      const { data: input, error } = endpoint.input.safeParse(given)
      if (error) throw new ApiError(400, 'invalid_input', error.issues[0]?.message ?? '')
      asked.push({ path: `${endpoint.method} ${endpoint.path}`, input })
      const answer = answers.get(endpoint)
      if (!answer) throw new Error(`No answer to ${endpoint.method} ${endpoint.path}`)
      return endpoint.output.parse(await answer(input as never))
    }) as Api,
  }
}

/** An answer that is on its way until the test gives it. */
export function held<T>() {
  let answer = (_: T): void => undefined
  const promise = new Promise<T>((resolve) => {
    answer = resolve
  })
  return { promise, answer }
}

/** A refusal as the server sends it. */
export const refused = (status: number, code: ApiError['code'], words: string) => new ApiError(status, code, words)

/** Renders `shown` for a page whose wire answers by `answers`. Returns the hands of the person who uses it. */
export function show(shown: ReactNode, answers: { api: Api }, more: Partial<Env> = {}) {
  const socket = { on: () => () => undefined, send: () => undefined, close: () => undefined }
  const env = { api: answers.api, socket, clock: () => new Date(), ...more } as unknown as Env
  const person = userEvent.setup()
  const { rerender } = render(<EnvContext value={env}>{shown}</EnvContext>)
  return { person, env, again: (next: ReactNode) => rerender(<EnvContext value={env}>{next}</EnvContext>) }
}

/** The line of a list that has exactly these words in one place, to look into. */
export function lineOf(words: string) {
  const line = screen.getByText(words).closest('li')
  if (!line) throw new Error(`No list has “${words}”`)
  return within(line)
}

/** The toasts that were shown: title and text. */
export const toasts = () => toastStore.getState().queue.map(({ title, text }) => `${title}: ${text}`)

/** In px of the window. */
export const touch = (element: Element, type: string, clientX: number, clientY = 0) =>
  fireEvent(
    element,
    Object.assign(new Event(type, { bubbles: true, cancelable: true }), {
      pointerType: 'touch',
      isPrimary: true,
      clientX,
      clientY,
    }),
  )
