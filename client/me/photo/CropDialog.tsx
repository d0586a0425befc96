import { type FormEvent, useId } from 'react'
import { useStore } from 'zustand'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Wrong } from '../../ui/Wrong.tsx'
import { CropStage } from './CropStage.tsx'
import { ZOOM_MAX, zoomed } from './crop.ts'
import { type Chosen, chosenStore, cropChosen, dropChosen, saveChosen } from './photo.ts'

/** Asks which part of the chosen picture becomes the photo. Closing it keeps what was chosen. */
export function CropDialog({ chosen, onClose }: { chosen: Chosen; onClose: () => void }) {
  const env = useEnv()
  const zoomId = useId()
  const { isSaving, failure } = useStore(chosenStore)
  const { picture, crop } = chosen

  async function save(event: FormEvent) {
    event.preventDefault()
    if (!(await saveChosen(env))) return
    onClose()
  }

  return (
    <Dialog
      title="Your photo"
      text="Drag the picture, or use the arrow keys. Photos are not end-to-end encrypted: the server and its administrators can see them."
      onClose={onClose}
    >
      <form onSubmit={(event) => void save(event)}>
        <CropStage chosen={chosen} />
        <div className="zoom">
          <label htmlFor={zoomId}>Zoom</label>
          <input
            id={zoomId}
            type="range"
            min={1}
            max={ZOOM_MAX}
            step={0.05}
            value={crop.zoom}
            onChange={({ target }) => cropChosen(zoomed(picture, crop, Number(target.value)))}
          />
        </div>
        {failure && <Wrong>Failed to update profile photo. {failure}</Wrong>}
        <footer>
          <button
            type="button"
            className="btn outline"
            disabled={isSaving}
            onClick={() => {
              dropChosen()
              onClose()
            }}
          >
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={isSaving}>
            {isSaving ? 'Saving...' : failure ? 'Try again' : 'Save photo'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
