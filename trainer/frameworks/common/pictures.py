"""Pictures for loaders: drawn digits as large, and as hard to compress, as ImageNet's photographs."""
import io

import numpy as np

from common.digits import draw_digits

ROWS, COLUMNS = 375, 500  # the mean ImageNet picture is about 500 x 400
GRAIN = 26                # of 255: JPEG of quality 90 then has some 110 kB, as ImageNet's mean (scenarios/inputs.json)
QUALITY = 90
DRAWN_AT_ONCE = 100


def pictures(count, seed):
    """Yields (picture [ROWS, COLUMNS, 3] uint8, digit)."""
    generator = np.random.RandomState(seed)
    grain = generator.normal(0, GRAIN, (ROWS, COLUMNS, 3)).astype(np.float32)
    for first in range(0, count, DRAWN_AT_ONCE):
        images, digits = draw_digits(min(DRAWN_AT_ONCE, count - first), seed + first)
        for image, digit in zip(images[:, 0], digits):
            large = image[np.arange(ROWS) * image.shape[0] // ROWS][:, np.arange(COLUMNS) * image.shape[1] // COLUMNS]
            colour = generator.uniform(60, 200, 3).astype(np.float32)
            shifted = np.roll(grain, tuple(generator.randint(0, ROWS, 2)), (0, 1))  # another grain, without drawing it anew
            yield np.clip(large[..., None] * colour + 30 + shifted, 0, 255).astype(np.uint8), int(digit)


def pillow_jpeg(picture):
    """Its bytes as JPEG, by Pillow."""
    from PIL import Image
    content = io.BytesIO()
    Image.fromarray(picture).save(content, "JPEG", quality=QUALITY)
    return content.getvalue()
