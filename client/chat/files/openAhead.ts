import type { Env } from '../../env.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { type Held, isShutAway } from './openedFiles.ts'
import { letGo, openUnasked } from './openFile.ts'

/** Where a pointer, or the focus of the keyboard, stays so long, a press may follow. */
const RESTS_MS = 80
/** A finger leaves before the browser calls it a tap, and a pointer may come back. */
const LEFT_MS = 300

/** The one file that is open because somebody may press its control. */
let ahead: Held | undefined

// It goes as everything does that was opened.
roomsStore.subscribe(() => {
  if (ahead && isShutAway(ahead.chatRoomId)) leaveAhead(ahead)
})

function openAhead(env: Env, held: Held): void {
  if (ahead && ahead.file.object !== held.file.object) leaveAhead(ahead)
  ahead = held
  openUnasked(env, held)
}

function leaveAhead(held: Held): void {
  letGo(held)
  if (ahead?.file.object === held.file.object) ahead = undefined
}

/** True if the person has told the browser to save data: it fetches what is asked for, and nothing else. */
const savesData = (): boolean => {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}

/**
 * Opens a file from the moment when its control is likely to be pressed: a pointer or the focus of the keyboard rests on it, or a button of
 * the mouse or a finger is down. `handlers` are those of the control; `end` is called once there is no control any more.
 */
export function followControl(env: Env, heldNow: () => Held) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHere = false
  const soon = (ms: number, act: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(act, ms)
  }
  const open = () => {
    clearTimeout(timer)
    if (!savesData()) openAhead(env, heldNow())
  }
  const leave = () => {
    clearTimeout(timer)
    leaveAhead(heldNow())
  }
  const rest = () => soon(RESTS_MS, open)
  const leaveSoon = () => {
    isHere = false
    soon(LEFT_MS, leave)
  }
  /** The person has moved the pointer here: it does not count what came under a pointer that lies still. */
  const move = ({ pointerType }: { pointerType: string }) => {
    if (isHere || pointerType === 'touch') return
    isHere = true
    rest()
  }
  return {
    handlers: {
      onPointerMove: move,
      onPointerDown: ({ button }: { button: number }) => button === 0 && open(),
      onPointerLeave: leaveSoon,
      // The finger moves the page.
      onPointerCancel: leave,
      onFocus: ({ currentTarget }: { currentTarget: { matches: (selector: string) => boolean } }) =>
        currentTarget.matches(':focus-visible') && rest(),
      onBlur: leaveSoon,
    },
    end: leave,
  }
}
