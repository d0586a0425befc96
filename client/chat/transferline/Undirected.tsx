import { Dialog } from '../../ui/Dialog.tsx'
import { UNSUPPORTED } from './hasDirect.ts'
import { endTransferAsk } from './transferState.ts'

/** Instead of a choice of files, where none could go. What this browser has received stays in the chat. */
export function Undirected({ name }: { name: string }) {
  return (
    <Dialog title={`Send directly to ${name}`} text={UNSUPPORTED} onClose={endTransferAsk}>
      <footer>
        <button type="button" className="btn primary" onClick={endTransferAsk}>
          Close
        </button>
      </footer>
    </Dialog>
  )
}
