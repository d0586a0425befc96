import type { User } from '../../contract/account/account.ts'
import { ExportSettings } from '../chat/export/ExportSettings.tsx'
import { Storage } from '../chat/files/Storage.tsx'
import { forgetReceived } from '../chat/transferline/transferState.ts'
import { Part } from '../ui/Part.tsx'
import { part } from './settingsWords.ts'

/** What this browser keeps, and a copy of it to take along. */
export function StoragePage({ user }: { user: User }) {
  return (
    <>
      <Storage onCleared={forgetReceived} />
      <Part {...part('export')}>
        <ExportSettings user={user} />
      </Part>
    </>
  )
}
