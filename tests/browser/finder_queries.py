"""What readers type and paste, and the first answer that the finder must give."""

from __future__ import annotations

# Shortened outputs of tools, in the shape in which users paste them into issues.
NVIDIA_SMI = """\
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|=========================================+======================+======================|
|   0  NVIDIA GeForce RTX 3090        Off | 00000000:01:00.0  On |                  N/A |
|  0%   45C    P8              21W / 350W |    682MiB / 24576MiB |      2%      Default |
+-----------------------------------------+----------------------+----------------------+
| Processes:                                                                            |
|    0   N/A  N/A      1234      G   /usr/lib/xorg/Xorg                          300MiB |
+---------------------------------------------------------------------------------------+
"""
NVIDIA_SMI_OLD = """\
| NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: 11.4     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
|   0  NVIDIA A100-SXM...  On   | 00000000:00:04.0 Off |                    0 |
| N/A   30C    P0    42W / 400W |      0MiB / 40536MiB |      0%      Default |
"""
NVIDIA_SMI_WINDOWS = """\
| NVIDIA-SMI 551.23                 Driver Version: 551.23         CUDA Version: 12.4     |
| GPU  Name                     TCC/WDDM  | Bus-Id          Disp.A | Volatile Uncorr. ECC |
|   0  NVIDIA GeForce RTX 4060 ...  WDDM  |   00000000:01:00.0  On |                  N/A |
"""
NVIDIA_SMI_LIST = "GPU 0: GeForce GTX 1660 Ti (UUID: GPU-e18afb8d-1627-f8ff-2ba3-c05c5a8e9e67)\n"
NVIDIA_SMI_CSV = "name, compute_cap\nNVIDIA GeForce RTX 4090, 8.9\n"
ROCMINFO = """\
ROCk module is loaded
HSA Agents
==========
Agent 1
  Name:                    AMD Ryzen 9 7950X 16-Core Processor
  Marketing Name:          AMD Ryzen 9 7950X 16-Core Processor
  Vendor Name:             CPU
  Device Type:             CPU
Agent 2
  Name:                    gfx1100
  Uuid:                    GPU-0e33f2e0a2a2a2a2
  Marketing Name:          Radeon RX 7900 XTX
  Vendor Name:             AMD
  Device Type:             GPU
      Name:                    amdgcn-amd-amdhsa--gfx1100
"""
ROCM_SMI = """\
======================= ROCm System Management Interface =======================
================================= Product Info =================================
GPU[0]          : Card series:          Arcturus GL-XL [AMD Instinct MI100]
GPU[0]          : Card model:           0x0c34
GPU[0]          : Card vendor:          Advanced Micro Devices, Inc. [AMD/ATI]
GPU[0]          : Card SKU:             D34316
============================= End of ROCm SMI Log ==============================
"""
ROCM_SMI_PLAIN = """\
========================= ROCm System Management Interface =========================
=================================== Concise Info ===================================
Device  Node  IDs              Temp    Power  Partitions          SCLK     MCLK
0       1     0x744c,   50312  37.0C   12.0W  N/A, N/A, 0         13Mhz    96Mhz
=============================== End of ROCm SMI Log ================================
"""
AMD_SMI = """\
| AMD-SMI 26.1.0+5cbef4e7      amdgpu version: 6.12.12  ROCm version: 7.9.0    |
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| 0000:63:00.0 AMD Radeon RX 7900 XTX | 0 %      29 °C   0            47/327 W |
"""
LSPCI_NVIDIA = """\
00:02.0 VGA compatible controller: Intel Corporation CoffeeLake-S GT2 [UHD Graphics 630]
01:00.0 VGA compatible controller: NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)
01:00.1 Audio device: NVIDIA Corporation GA102 High Definition Audio Controller (rev a1)
"""
LSPCI_AMD = (
    "03:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 "
    "[Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M] (rev c8)\n"
)
LSPCI_NUMBERS = (
    "0a:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] "
    "Navi 48 [Radeon AI PRO R9700] [1002:7551] (rev c0) (prog-if 00 [VGA controller])\n"
)
LSPCI_HUAWEI = "c1:00.0 Processing accelerators: Huawei Technologies Co., Ltd. Device d802\n"
NPU_SMI = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.1                   Version: 24.1.1                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B4               | OK            | 88.2        30                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          26838/ 32768         |
"""
HL_SMI = """\
+-----------------------------------------------------------------------------+
| HL-SMI Version:                              hl-1.17.0-fw-51.3.0            |
| Driver Version:                                     1.17.0-28a11ca          |
|-------------------------------+----------------------+----------------------+
| AIP  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncor-Events|
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | AIP-Util  Compute M. |
|===============================+======================+======================|
|   0  HL-225              N/A  | 0000:33:00.0     N/A |                   0  |
| N/A   27C   N/A   96W /  600W |   768MiB /  98304MiB |     0%           N/A |
"""
XPU_SMI = """\
+-----------+--------------------------------------------------------------------------------------+
| Device ID | Device Information                                                                   |
+-----------+--------------------------------------------------------------------------------------+
| 0         | Device Name: Intel(R) Arc(TM) Pro B60 Graphics                                       |
|           | Vendor Name: Intel(R) Corporation                                                    |
|           | SOC UUID: 00000000-0000-0017-0000-0000e2118086                                       |
|           | PCI BDF Address: 0000:17:00.0                                                        |
"""
SYSTEM_PROFILER = """\
Graphics/Displays:

    Apple M3:

      Chipset Model: Apple M3
      Type: GPU
      Bus: Built-In
      Total Number of Cores: 10
      Vendor: Apple (0x106b)
      Metal Support: Metal 3
"""
SYSTEM_PROFILER_INTEL = """\
    Intel UHD Graphics 630:

      Chipset Model: Intel UHD Graphics 630
      Type: GPU
      Bus: Built-In
"""

IRIS_XE = "iris-xe-and-uhd-graphics-11th-to-14th-generation-core"

# A query, the platform of the first answer, and the end of its card's id; without one the platform
# itself is the answer.
QUERIES: list[tuple[str, str, str]] = [
    # Names of cards
    ("V100", "cuda", "volta-7-0"),
    ("sm_70", "cuda", "volta-7-0"),
    ("7.0", "cuda", "volta-7-0"),
    ("compute capability 7.0", "cuda", "volta-7-0"),
    ("Tesla V100-SXM2-32GB", "cuda", "volta-7-0"),
    ("NVIDIA GeForce RTX 3090 Ti", "cuda", "ampere-8-6"),
    ("rtx4090", "cuda", "ada-8-9"),
    ("4090", "cuda", "ada-8-9"),
    ("rtx 4070 super", "cuda", "ada-8-9"),
    ("GTX 1080 Ti", "cuda", "pascal-6-1"),
    ("RTX 2000", "cuda", "ada-8-9"),
    ("A100", "cuda", "ampere-8-0"),
    ("NVIDIA H100 80GB HBM3", "cuda", "hopper-9-0"),
    ("T4", "cuda", "turing-7-5"),
    ("L4", "cuda", "ada-8-9"),
    ("Jetson AGX Orin", "cuda", "ampere-8-7"),
    ("DGX Spark", "cuda", "blackwell-12-1"),
    ("K80", "cuda", "kepler-3-7"),
    ("RX 7900 XTX", "rocm", "rdna3-gfx1100"),
    ("AMD Radeon RX 7900 XTX", "rocm", "rdna3-gfx1100"),
    ("Radeon 7900 XTX", "rocm", "rdna3-gfx1100"),
    ("RX 580", "rocm", "gcn4-0-gfx803"),
    ("gfx1030", "rocm", "rdna2-gfx1030"),
    ("gfx90a:sramecc+:xnack-", "rocm", "cdna2-gfx90a"),
    ("MI300X", "rocm", "cdna3-gfx942"),
    ("Intel(R) Arc(TM) A770 Graphics", "xpu", "arc-a-series-alchemist-dg2"),
    ("B580", "xpu", "arc-b-series-battlemage-bmg"),
    ("310P", "ascend", "ascend-310p-310p"),
    ("910B3", "ascend", "atlas-a2-910b"),
    ("Atlas 300I Duo", "ascend", "ascend-310p-310p"),
    ("Gaudi 2", "gaudi", "gaudi-2"),
    ("MTT S4000", "musa", "third-generation-quyuan-mp-22"),
    ("MLU370-X8", "mlu", "mlu300-series-compute-30"),
    ("TPU v5e", "tpu", "tpu-v5e-v5e"),
    ("M3", "mps", "m3-family-apple9"),
    ("Apple M1 Pro", "mps", "m1-family-apple7"),
    # Laptops, as their vendors print the names
    ("NVIDIA GeForce RTX 4060 Laptop GPU", "cuda", "ada-8-9"),
    ("NVIDIA GeForce RTX 3050 Ti Laptop GPU", "cuda", "ampere-8-6"),
    ("MacBook Pro M3", "mps", "m3-family-apple9"),
    ("MacBook Air M2", "mps", "m2-family-apple8"),
    ("AMD Radeon 780M", "rocm", "rdna3-gfx1103"),
    ("AMD Ryzen 7 7840U w/ Radeon 780M Graphics", "rocm", "rdna3-gfx1103"),
    ("Ryzen AI 9 HX 370", "rocm", "rdna3-5-gfx1150"),
    ("Intel(R) Iris(R) Xe Graphics", "xpu", IRIS_XE),
    ("UHD Graphics 630", "xpu", "hd-graphics-and-uhd-graphics-600-series"),
    ("UHD 630", "xpu", "hd-graphics-and-uhd-graphics-600-series"),
    # Processors
    ("i7", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("i7-12700", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("12th Gen Intel(R) Core(TM) i7-12700K", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Ryzen 7 5800X", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("AMD Ryzen 5 5600X 6-Core Processor", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Xeon Gold 6338", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("AMD EPYC 7763 64-Core Processor", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Graviton3", "cpu", "arm-servers-aws-graviton-and-others"),
    ("Raspberry Pi 4", "cpu", "armv8-0-boards"),
    ("no GPU", "cpu", ""),
    ("CPU only", "cpu", ""),
    ("I don't have a graphics card", "cpu", ""),
    ("cpu", "cpu", ""),
    # Vendors, devices, dispatch keys
    ("NVIDIA", "cuda", ""),
    ("nvidia gpu", "cuda", ""),
    ("AMD", "rocm", ""),
    ("Intel", "xpu", ""),
    ("Apple", "mps", ""),
    ("Huawei", "ascend", ""),
    ("Radeon", "rocm", ""),
    ("HPU", "gaudi", ""),
    ("NPU", "ascend", ""),
    ("XPU", "xpu", ""),
    ("TPU", "tpu", ""),
    ("CUDA", "cuda", ""),
    ("ROCm", "rocm", ""),
    # Drivers and toolkits
    ("driver 535", "cuda", ""),
    ("NVIDIA driver version 535.104.05", "cuda", ""),
    ("CUDA 12.4", "cuda", ""),
    ("ROCm 6.2", "rocm", ""),
    ("RTX 3090 driver 470", "cuda", "ampere-8-6"),
    # Rented machines
    ("p3.2xlarge", "cuda", "volta-7-0"),
    ("p4d", "cuda", "ampere-8-0"),
    ("p5.48xlarge", "cuda", "hopper-9-0"),
    ("g5.2xlarge", "cuda", "ampere-8-6"),
    ("g6", "cuda", "ada-8-9"),
    ("g4dn.xlarge", "cuda", "turing-7-5"),
    ("ml.g4dn.xlarge", "cuda", "turing-7-5"),
    ("g4ad.xlarge", "rocm", "rdna-gfx1011"),
    ("trn1.32xlarge", "neuron", "trainium-v2"),
    ("trn2", "neuron", "trainium2-v3"),
    ("inf2.xlarge", "neuron", "inferentia2-v2"),
    ("dl1.24xlarge", "gaudi", "gaudi-first-generation"),
    ("Standard_NC8as_T4_v3", "cuda", "turing-7-5"),
    ("Standard_NC24ads_A100_v4", "cuda", "ampere-8-0"),
    ("Standard_ND96isr_MI300X_v5", "rocm", "cdna3-gfx942"),
    ("a2-highgpu-1g", "cuda", "ampere-8-0"),
    ("a3-highgpu-8g", "cuda", "hopper-9-0"),
    ("g2-standard-4", "cuda", "ada-8-9"),
    ("ct5lp-hightpu-4t", "tpu", "tpu-v5e-v5e"),
    ("c7g.large", "cpu", "arm-servers-aws-graviton-and-others"),
    # Outputs of tools
    (NVIDIA_SMI, "cuda", "ampere-8-6"),
    (NVIDIA_SMI_OLD, "cuda", "ampere-8-0"),
    (NVIDIA_SMI_WINDOWS, "cuda", "ada-8-9"),
    (NVIDIA_SMI_LIST, "cuda", "turing-7-5"),
    (NVIDIA_SMI_CSV, "cuda", "ada-8-9"),
    (ROCMINFO, "rocm", "rdna3-gfx1100"),
    (ROCM_SMI, "rocm", "cdna-gfx908"),
    (ROCM_SMI_PLAIN, "rocm", ""),
    (AMD_SMI, "rocm", "rdna3-gfx1100"),
    ("VGA controller: NVIDIA Corporation GA102 [GeForce RTX 3090] (rev a1)", "cuda", "ampere-8-6"),
    (LSPCI_NVIDIA, "cuda", "ampere-8-6"),
    (LSPCI_AMD, "rocm", "rdna3-gfx1100"),
    (LSPCI_NUMBERS, "rocm", "rdna4-gfx1201"),
    (LSPCI_HUAWEI, "ascend", ""),
    (NPU_SMI, "ascend", "atlas-a2-910b"),
    (HL_SMI, "gaudi", "gaudi-2"),
    (XPU_SMI, "xpu", "arc-b-series-battlemage-bmg"),
    (SYSTEM_PROFILER, "mps", "m3-family-apple9"),
    ("RX 7900 XTX Windows", "rocm", "rdna3-gfx1100"),
    ("7900 xtx", "rocm", "rdna3-gfx1100"),
    ("RTX 3060 windows", "cuda", "ampere-8-6"),
    ("RTX 4090 ubuntu", "cuda", "ada-8-9"),
    ("RTX 4090 pip", "cuda", "ada-8-9"),
    ("RTX 5090 cuda 13", "cuda", "blackwell-12-0"),
    ("rtx 5090 cuda 13.0", "cuda", "blackwell-12-0"),
    ("4090 ubuntu 22.04 pip", "cuda", "ada-8-9"),
    ("windows 11 rtx 4070 laptop", "cuda", "ada-8-9"),
    ("Snapdragon X Elite", "cpu", "windows-on-arm"),
    ("Jetson Nano", "cuda", "maxwell-5-3"),
    ("Jetson Orin Nano", "cuda", "ampere-8-7"),
    ("Jetson AGX Thor", "cuda", "blackwell-11-0"),
    ("Ascend 910B arm", "ascend", "atlas-a2-910b"),
    ("RTX 6000 Pro Blackwell", "cuda", "blackwell-12-0"),
    ("RTX PRO 6000", "cuda", "blackwell-12-0"),
    ("Core Ultra 7 258V", "xpu", "core-ultra-200v-lunar-lake-lnl-m"),
    ("Core Ultra 9 285K", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Trainium", "neuron", "trainium-v2"),
    ("Trainium 2", "neuron", "trainium2-v3"),
    ("Inferentia 2", "neuron", "inferentia2-v2"),
    ("昇腾", "ascend", ""),
    ("昇腾 910B", "ascend", "atlas-a2-910b"),
    ("寒武纪", "mlu", ""),
    ("寒武纪 MLU370", "mlu", "mlu300-series-compute-30"),
    ("百度 昆仑", "kunlunxin", ""),
    ("摩尔线程 S4000", "musa", "third-generation-quyuan-mp-22"),
    ("沐曦 C500", "metax", "c-series-c"),
    ("天数智芯", "iluvatar", ""),
    ("燧原", "enflame", ""),
    ("海光 DCU", "hygon", ""),
    ("壁仞", "biren", "br2xx"),
    ("GTX 1080", "cuda", "pascal-6-1"),
    ("rtx3090ti", "cuda", "ampere-8-6"),
    ("4090 rtx", "cuda", "ada-8-9"),
    ("nvidia 3080 10gb", "cuda", "ampere-8-6"),
    ("MI300X docker", "rocm", "cdna3-gfx942"),
    ("mi 300x rocm 6.4", "rocm", "cdna3-gfx942"),
    ("Ryzen AI Max 395", "rocm", "rdna3-5-gfx1151"),
    ("Ryzen AI Max+ 395 Windows", "rocm", "rdna3-5-gfx1151"),
    ("9070 XT WSL2", "rocm", "rdna4-gfx1201"),
    ("Radeon VII", "rocm", "gcn5-1-gfx906"),
    ("Vega 56", "rocm", "gcn5-0-gfx900"),
    ("Arc B580 windows", "xpu", "arc-b-series-battlemage-bmg"),
    ("Intel Arc A770 linux", "xpu", "arc-a-series-alchemist-dg2"),
    ("Xeon", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Xeon Platinum 8480", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Max 1550", "xpu", "data-center-gpu-max-series-ponte-vecchio-pvc"),
    ("Iris Xe", "xpu", "iris-xe-and-uhd-graphics-11th-to-14th-generation-core"),
    ("Gaudi 3", "gaudi", "gaudi-3"),
    ("M4 mac mini", "mps", "m4-family-apple9"),
    ("MacBook Air M1 conda", "mps", "m1-family-apple7"),
    ("MacBook Pro M3 Max", "mps", "m3-family-apple9"),
    ("Intel MacBook", "mps", "intel-macs-with-amd-or-intel-graphics"),
    ("Graviton 4", "cpu", "arm-servers-aws-graviton-and-others"),
    ("Graviton", "cpu", "arm-servers-aws-graviton-and-others"),
    ("v6e", "tpu", "trillium-v6e"),
    ("TPU v7", "tpu", "ironwood-7th-generation-tpu7x"),
    ("910B", "ascend", "atlas-a2-910b"),
    ("Tesla K80", "cuda", "kepler-3-7"),
    ("A100 80GB", "cuda", "ampere-8-0"),
    ("H100 pcie", "cuda", "hopper-9-0"),
    ("H200", "cuda", "hopper-9-0"),
    ("B200", "cuda", "blackwell-10-0"),
    ("GB200", "cuda", "blackwell-10-0"),
    ("L40S", "cuda", "ada-8-9"),
    ("A10G", "cuda", "ampere-8-6"),
    ("g5.xlarge", "cuda", "ampere-8-6"),
    ("p4d.24xlarge", "cuda", "ampere-8-0"),
    ("Quadro P2000", "cuda", "pascal-6-1"),
    ("Titan V", "cuda", "volta-7-0"),
    ("GTX 970", "cuda", "maxwell-5-2"),
    ("RX 6800", "rocm", "rdna2-gfx1030"),
    ("RX 6600 windows", "rocm", "rdna2-gfx1032"),
    ("RX 5700 XT", "rocm", "rdna-gfx1010"),
    ("Radeon 780M", "rocm", "rdna3-gfx1103"),
    ("W7900", "rocm", "rdna3-gfx1100"),
    ("MI50", "rocm", "gcn5-1-gfx906"),
    ("MI250", "rocm", "cdna2-gfx90a"),
    ("Wormhole", "tenstorrent", "wormhole-wormhole-b0"),
    ("Grayskull", "tenstorrent", "grayskull-grayskull"),
    ("Blackhole p150a", "tenstorrent", "blackhole-blackhole"),
    ("Apple M5", "mps", "m5-family-apple10"),
    ("M2", "mps", "m2-family-apple8"),
    ("qualcomm cloud ai 100", "qaic", "cloud-ai-100-v68"),
    ("rebellions atom", "rbln", ""),
    ("5090", "cuda", "blackwell-12-0"),
    ("3060", "cuda", "ampere-8-6"),
    ("RTX 5060 Ti 16GB", "cuda", "blackwell-12-0"),
    ("RTX 2000 Ada", "cuda", "ada-8-9"),
    ("RTX A4000", "cuda", "ampere-8-6"),
    ("1660 super", "cuda", "turing-7-5"),
    ("Intel UHD 630", "xpu", "hd-graphics-and-uhd-graphics-600-series"),
    ("Core i7-12700", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Ryzen 9 7950X", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Threadripper", "cpu", "intel-and-amd-64-bit-x86-64"),
    ("Radeon Pro W6800", "rocm", "rdna2-gfx1030"),
    ("Instinct MI325X", "rocm", "cdna3-gfx942"),
    ("Gaudi2", "gaudi", "gaudi-2"),
    ("npu", "ascend", ""),
    ("MTT S80", "musa", "chunxiao-mp-21"),
    ("DCU K100", "hygon", "k100-ai"),
    ("Kunlun P800", "kunlunxin", "kunlun3"),
    ("C500", "metax", "c-series-c"),
    ("BI-V150", "iluvatar", "bi-series"),
    ("S60 enflame", "enflame", "gcu300-third-generation-gcu300"),
    ("RNGD", "furiosa", "rngd"),
]  # fmt: skip

# Names that are not in the list, each with one of the names that are shown instead; "" where none is similar.
NOT_LISTED = [
    ("Raspberry Pi 6", "Raspberry Pi 5"),
    ("RTX 3065", "GeForce RTX 3060"),
    ("RTX 6090", "GeForce RTX 5090"),
    ("GeForce RTX 407O", "GeForce RTX 4070"),
    ("GTX 1O80", "GeForce GTX 1080"),
    ("B580X", "Arc B580"),
    ("Atlas 800 A2 aarch64", "Atlas 800T A2"),
    ("Hailo-8", ""),
    ("Coral Edge TPU", ""),
    ("Groq", ""),
    ("iphone", ""),
    ("asdfgh", ""),
    ("banana", ""),
    ("BR100", "B100"),
]

# Queries with choices of the selector beside the name, and these choices.
CHOICES = [
    ("RX 7900 XTX Windows", {"os": "windows"}),
    ("RTX 4090 ubuntu 22.04 pip", {"os": "linux", "method": "pip"}),
    ("9070 XT WSL2", {"os": "linux"}),
    ("MI300X docker", {"method": "docker"}),
    ("torch 2.8 rtx 3060 conda", {"release": "2.8", "method": "conda"}),
    ("Ascend 910B arm", {"arch": "aarch64"}),
    ("RTX 4090", {}),
]

# Written after the finder was tuned, and not used to tune it: the platforms that may come first (empty where the
# name is not in the list), and a word of the hardware that is named, if one is.
HELD_OUT: list[tuple[str, str, str]] = [
    ("4070 ti super windows", "cuda", "4070 Ti SUPER"),
    ("gtx1650 laptop ubuntu", "cuda", "1650"),
    ("nvidia a40 docker", "cuda", "A40"),
    ("l4 gpu gcp", "cuda", "L4"),
    ("rtx a6000 linux pip", "cuda", "A6000"),
    ("quadro rtx 8000", "cuda", "RTX 8000"),
    ("tesla p40", "cuda", "P40"),
    ("v100 32gb cuda 12", "cuda", "V100"),
    ("rtx 3080ti", "cuda", "3080 Ti"),
    ("3070ti win10", "cuda", "3070 Ti"),
    ("geforce 2080 super", "cuda", "2080"),
    ("gtx 1060 6gb windows", "cuda", "1060"),
    ("rtx5070 wsl", "cuda", "5070"),
    ("b300", "cuda", "B300"),
    ("gh200", "cuda", "GH200"),
    ("jetson xavier nx", "cuda", "Xavier"),
    ("jetson thor cuda 13.2", "cuda", "T5000"),
    ("rx 6700 xt linux", "rocm", "6700"),
    ("rx6900xt", "rocm", "6900"),
    ("radeon rx 9060 xt windows", "rocm", "9060"),
    ("radeon pro w7800", "rocm", "W7800"),
    ("mi210", "rocm", "MI210"),
    ("mi355x docker", "rocm", "MI355X"),
    ("strix halo", "rocm", "Max"),
    ("ryzen ai 9 hx 370", "rocm", "370"),
    ("rx 7800 xt wsl2", "rocm", "7800"),
    ("rx 5500 xt", "rocm", "5500"),
    ("vega 64", "rocm", "64"),
    ("arc a380", "xpu", "A380"),
    ("arc b570 ubuntu", "xpu", "B570"),
    ("arc pro b60", "xpu", "B60"),
    ("intel max 1100", "xpu", "1100"),
    ("core ultra 5 125h", "cpu,xpu", ""),
    ("core i5-8250u", "cpu", ""),
    ("xeon gold 6338", "cpu", ""),
    ("epyc 9654", "cpu", ""),
    ("ryzen 5 5600g", "cpu", ""),
    ("intel n100", "cpu", ""),
    ("macbook pro m4 max", "mps", "M4 Max"),
    ("mac mini m2", "mps", "M2"),
    ("m1 ultra conda", "mps", "M1 Ultra"),
    ("mac studio m3 ultra", "mps", "M3 Ultra"),
    ("intel imac", "mps,cpu", ""),
    ("raspberry pi 4 docker", "cpu", ""),
    ("graviton3", "cpu", ""),
    ("c7g.large", "cpu", ""),
    ("snapdragon x plus windows", "cpu", ""),
    ("trn1.32xlarge", "neuron", ""),
    ("inf2.xlarge", "neuron", ""),
    ("tpu v4", "tpu,tpu-xla", ""),
    ("tpu v5p", "tpu,tpu-xla", ""),
    ("trillium", "tpu,tpu-xla", ""),
    ("ascend 310p", "ascend", ""),
    ("atlas 300v", "ascend", ""),
    ("910c", "ascend", ""),
    ("华为 昇腾 910b", "ascend", ""),
    ("摩尔线程 s80", "musa", "S80"),
    ("mlu590", "mlu", ""),
    ("gaudi2 docker", "gaudi", ""),
    ("hl-225", "gaudi", ""),
    ("n300", "tenstorrent", "n300"),
    ("rbln-ca25", "rbln", ""),
    ("hygon k100_ai", "hygon", ""),
    ("沐曦 c550", "metax", "C550"),
    ("rtx 4095", "", ""),
    ("rtx 3075 ti", "", ""),
    ("rx 7950 xtx", "", ""),
    ("arc b999", "", ""),
    ("hailo 10h", "", ""),
    ("raspberry pi zero", "cpu", "Zero"),
    ("orange pi 5", "", ""),
    ("cerebras wse-3", "", ""),
    ("graphcore ipu", "", ""),
    ("gtx 285", "", ""),
]
