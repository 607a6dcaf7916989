"""The hearing network: 16 kHz sound in 40 ms hops to visemes and closures, causal, its state passed in and out.

Look-ahead is in the labels: the frame that ends at time t is taught what the mouth does LOOK_AHEAD_S earlier, so that the two frames of a
hop, averaged, describe the picture whose 40 ms ended 80 ms before the hop's end.
"""

import numpy as np
import torch
from torch import nn

SAMPLE_RATE_HZ = 16_000
HOP = 640
CONTEXT = 240
FRAME = 320
WINDOW = 400
STEP = 160
MELS = 64
WIDTH = 256
CONV_FRAMES = 4
LOOK_AHEAD_S = 0.09


def mel_filters() -> np.ndarray:
    """float32 [257, 64]: triangles of unit sum, 40 to 7800 Hz on the mel scale."""
    bins = np.linspace(0, SAMPLE_RATE_HZ / 2, 257)
    mel = np.linspace(2595 * np.log10(1 + 40 / 700), 2595 * np.log10(1 + 7800 / 700), MELS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    filters = np.zeros((257, MELS), np.float32)
    for index in range(MELS):
        low, middle, high = edges[index : index + 3]
        filters[:, index] = np.maximum(0, np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)))
    return filters / np.maximum(filters.sum(0, keepdims=True), 1e-6)


class Front(nn.Module):
    """Sound [batch, 240 + n × 320] to stacked log-mel [batch, n, 128]. The DFT is a convolution: no FFT operator is needed."""

    def __init__(self):
        super().__init__()
        angle = 2 * np.pi * np.arange(257)[:, None] * np.arange(WINDOW) / 512
        window = np.hanning(WINDOW)
        kernel = np.concatenate([np.cos(angle) * window, -np.sin(angle) * window]).astype(np.float32)
        self.register_buffer("dft", torch.tensor(kernel)[:, None])
        self.register_buffer("filters", torch.tensor(mel_filters()))

    def forward(self, sound):
        spectrum = nn.functional.conv1d(sound[:, None], self.dft, stride=STEP)
        power = spectrum[:, :257] ** 2 + spectrum[:, 257:] ** 2
        mel = (torch.log(power.transpose(1, 2) @ self.filters + 1e-6) + 4) / 4
        batch, frames, _ = mel.shape
        return mel.reshape(batch, frames // 2, 2 * MELS)


class HearingNetwork(nn.Module):
    """forward(sound [B, 240 + n·320], past [B, 3, 256], h1, h2 [1, B, 256]) → logits of visemes [B, n, 15], closure [B, n], lip-to-teeth
    [B, n], openness [B, n], and the new states."""

    def __init__(self, visemes: int = 15):
        super().__init__()
        self.front = Front()
        self.lift = nn.Sequential(nn.Linear(2 * MELS, WIDTH), nn.LayerNorm(WIDTH), nn.GELU())
        self.conv = nn.Conv1d(WIDTH, WIDTH, CONV_FRAMES)
        self.norm = nn.LayerNorm(WIDTH)
        self.gru1 = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.gru2 = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.drop = nn.Dropout(0.15)
        self.join = nn.Sequential(nn.Linear(3 * WIDTH, 160), nn.GELU())
        self.viseme = nn.Linear(160, visemes)
        self.closure = nn.Linear(160, 1)
        self.labial = nn.Linear(160, 1)
        self.openness = nn.Linear(160, 1)

    def forward(self, sound, past, h1, h2):
        lifted = self.lift(self.front(sound))
        stretch = torch.cat([past, lifted], 1)
        local = torch.nn.functional.gelu(self.conv(stretch.transpose(1, 2)).transpose(1, 2))
        local = self.norm(lifted + local)
        first, h1 = self.gru1(self.drop(local), h1)
        second, h2 = self.gru2(self.drop(first), h2)
        joined = self.join(self.drop(torch.cat([local, first, second], -1)))
        heads = [head(joined).squeeze(-1) for head in (self.closure, self.labial, self.openness)]
        return self.viseme(joined), *heads, stretch[:, -(CONV_FRAMES - 1) :], h1, h2

    @staticmethod
    def silence(batch: int):
        """The states before the first sound."""
        return torch.zeros(batch, CONV_FRAMES - 1, WIDTH), torch.zeros(1, batch, WIDTH), torch.zeros(1, batch, WIDTH)


class Exported(nn.Module):
    """One hop, with probabilities: the graph that ships."""

    def __init__(self, network: HearingNetwork):
        super().__init__()
        self.network = network

    def forward(self, pcm, past, h1, h2):
        viseme, closure, labial, _, past, h1, h2 = self.network(pcm, past, h1, h2)
        return torch.softmax(viseme, -1), torch.sigmoid(closure), torch.sigmoid(labial), past, h1, h2
