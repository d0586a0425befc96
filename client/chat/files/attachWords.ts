/** What becomes of the place and time in a picture. */
export const METADATA =
  'Where, when and with which device a picture was taken is left out. In a picture that this browser cannot read, such as some HEIC ' +
  'and TIFF files, it stays.'

/** The same where a page gets noise for pixels. */
export const METADATA_WITH_NOISE =
  'This browser shows no page the pixels of a picture, so none becomes smaller. Where, when and with which device a picture was taken ' +
  'is left out of JPEG, PNG and WebP. AVIF, HEIC and TIFF go as the documents that they are, and it stays in them.'
