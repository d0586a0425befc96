import type { Env } from '../env.ts'
import { openNotes } from '../rooms/list/notes.ts'
import { NOTES } from '../rooms/list/room.ts'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'

export async function showNotes(env: Env, go: (address: string) => void): Promise<void> {
  try {
    go(`/chat/${await openNotes(env)}`)
  } catch (error) {
    showToast({ tone: 'bad', title: `${NOTES} could not be opened`, text: failureWords(error) })
  }
}
