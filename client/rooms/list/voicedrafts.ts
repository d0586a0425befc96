import { createStore } from 'zustand/vanilla'

/** A voice that is being recorded, or was. */
export interface Recording {
  /**
   * Begins, or goes on. `onLevel` is called ten times a second. Throws DOMException where there is no microphone, or it may not be
   * used.
   */
  resume(onLevel: () => void): Promise<void>
  /** Gives the microphone back. Answers what was said up to now. */
  pause(): Promise<Blob>
  /** Ends it. Answers all that was said. */
  end(): Promise<Blob>
  /** Ends it, and forgets what was said. */
  drop(): void
  seconds(): number
  /** How loud it was every tenth of a second, from 0 to 255. */
  levels(): number[]
}

type Voices = ReadonlyMap<string, Recording>

/**
 * What was recorded and not sent, by room id: one a room. It lies in this page's memory and nowhere else: a page that is closed or
 * loaded anew has lost it, and asks before.
 */
export const voiceDraftsStore = createStore<{ voices: Voices }>(() => ({ voices: new Map() }))

export const voiceOf = (chatRoomId: string): Recording | undefined => voiceDraftsStore.getState().voices.get(chatRoomId)

export const hasVoices = (): boolean => voiceDraftsStore.getState().voices.size > 0

export function keepVoice(chatRoomId: string, recording: Recording): void {
  show(new Map(voiceDraftsStore.getState().voices).set(chatRoomId, recording))
}

/** Takes the recording of a room out of here: it is sent, or thrown away. */
export function takeVoice(chatRoomId: string): Recording | undefined {
  const voices = new Map(voiceDraftsStore.getState().voices)
  const taken = voices.get(chatRoomId)
  if (voices.delete(chatRoomId)) show(voices)
  return taken
}

/** Forgets every recording: whoever has signed out or locked the page leaves none behind. */
export function dropVoices(): void {
  if (!hasVoices()) return
  const { voices } = voiceDraftsStore.getState()
  show(new Map())
  for (const recording of voices.values()) recording.drop()
}

function show(voices: Voices): void {
  voiceDraftsStore.setState({ voices })
  if (voices.size > 0) addEventListener('beforeunload', ask)
  else removeEventListener('beforeunload', ask)
}

const ask = (event: Event): void => event.preventDefault()

let pauseShown: (() => void) | undefined

/** Names what pauses the voice that is recorded on screen. Returns how to take it back. */
export function onPauseAsked(pause: () => void): () => void {
  pauseShown = pause
  return () => {
    if (pauseShown === pause) pauseShown = undefined
  }
}

/** Pauses what is recorded on screen. False if nothing is. */
export function pauseVoice(): boolean {
  pauseShown?.()
  return pauseShown !== undefined
}
