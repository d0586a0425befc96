import { useMemo } from 'react'
import { Qr } from '../../ui/Qr.tsx'
import { drawQr } from '../../ui/qr.ts'

/** The code as a picture. A drawing that fails is logged, and the token remains to be copied. */
export function CodePicture({ content, isExpired }: { content: string; isExpired: boolean }) {
  const isDrawn = useMemo(() => canBeDrawn(content), [content])
  if (!isDrawn) return <p className="small t2">The code cannot be drawn here. Copy the token instead.</p>
  return (
    <div className={isExpired ? 'code-picture over' : 'code-picture'}>
      <Qr text={content} label={isExpired ? 'Your expired contact QR code' : 'Your contact QR code'} />
    </div>
  )
}

function canBeDrawn(content: string): boolean {
  try {
    return drawQr(content).sizeModules > 0
  } catch (error) {
    reportError(error)
    return false
  }
}

/** "4:08" */
export const minutesLeft = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
