import { CHAT_LOCK } from '../../../contract/chat/locklimits.ts'

/** A chat that was last used before this is locked again. */
export const openSince = (now: Date): Date => secondsBefore(now, CHAT_LOCK.openSeconds)

/** A verification of before this is too old to change the chat password. */
export const freshSince = (now: Date): Date => secondsBefore(now, CHAT_LOCK.freshSeconds)

export const secondsBefore = (time: Date, seconds: number): Date => new Date(time.getTime() - seconds * 1000)
